// The hub in a SharedWorker.

import { Hub, type TabPort } from "./hub";
import type { ToHub } from "./protocol";

const hub = new Hub(location.origin);

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0]!;
  const tab: TabPort = { send: (message) => port.postMessage(message) };
  port.onmessage = (message: MessageEvent<ToHub>) => void hub.receive(tab, message.data);
});
