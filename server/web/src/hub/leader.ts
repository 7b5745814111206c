// The hub in one of the tabs, for browsers without SharedWorker: the tab that leads has the hub, and the others reach it over a
// BroadcastChannel. When it goes, another takes the lead, and all tabs subscribe anew.

import { Hub, type TabPort } from "./hub";
import type { FromHub, ToHub } from "./protocol";

type Message =
  | { readonly to: "hub"; readonly from: string; readonly message: ToHub }
  | { readonly to: "tab"; readonly tab: string; readonly message: FromHub }
  | { readonly to: "all"; readonly kind: "leading" | "leaving" | "who" };

/** How long a tab waits for a leader to answer, where tabs cannot lock. */
const ANSWER_MS = 400;

/** Connects this tab to the hub. `onLead` is called whenever another hub has taken over, this tab's own included. */
export function connectLeader(
  name: string,
  receive: (message: FromHub) => void,
  onLead: () => void,
): (message: ToHub) => void {
  const channel = new BroadcastChannel(name);
  const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join("-");
  const ports = new Map<string, TabPort>();
  let hub: Hub | undefined;
  let answered = () => {};

  const say = (message: Message) => channel.postMessage(message);
  const own: TabPort = { send: (message) => queueMicrotask(() => receive(message)) };

  const lead = () => {
    if (hub) return;
    hub = new Hub(location.origin);
    say({ to: "all", kind: "leading" });
    onLead();
  };

  const elect = () => {
    if (navigator.locks) {
      void navigator.locks.request(name, () => {
        lead();
        return new Promise<never>(() => {});
      });
      return;
    }
    // Without locks (a page without TLS): whoever gets no answer leads. Two leaders at once cost a stream, and nothing else.
    const timer = setTimeout(lead, ANSWER_MS + Math.random() * ANSWER_MS);
    answered = () => clearTimeout(timer);
    say({ to: "all", kind: "who" });
  };

  channel.onmessage = (event: MessageEvent<Message>) => {
    const { data } = event;
    if (data.to === "tab") {
      if (data.tab === id) receive(data.message);
    } else if (data.to === "hub") {
      if (!hub) return;
      const { from } = data;
      let port = ports.get(from);
      if (!port) ports.set(from, (port = { send: (message) => say({ to: "tab", tab: from, message }) }));
      void hub.receive(port, data.message);
      if (data.message.kind === "bye") ports.delete(from);
    } else if (data.kind === "who") {
      if (hub) say({ to: "all", kind: "leading" });
    } else if (data.kind === "leading") {
      answered();
      if (!hub) onLead();
    } else if (!navigator.locks) {
      elect();
    }
  };
  addEventListener("pagehide", () => hub && say({ to: "all", kind: "leaving" }));
  elect();
  return (message) => {
    if (hub) void hub.receive(own, message);
    else say({ to: "hub", from: id, message });
  };
}
