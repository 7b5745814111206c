// The beginning of the page.

import { render } from "preact";
import { App } from "./App";
import { startRouter } from "./router";
import { startSettings } from "./settings";
import "./styles/index.css";

startSettings();
startRouter();
render(<App />, document.getElementById("app")!);
