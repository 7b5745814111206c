/**
 * Sessions for browsers, which cannot open Play: one Follow stream for all seats and spectators, and a call of Act
 * for each answer.
 *
 * The channels of a Follow are fixed when it is opened. If they change, a new one is opened first and the old one is
 * ended when the server has answered, so that no seat counts as gone in between.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import { clientError, closeError, ParlorError } from "../error.js";
import { PlayService, type FollowChannelSchema } from "../wire.js";
import { abortable } from "./abortable.js";
import { openTimeout, Session, streamEnded, type StreamEnd } from "./session.js";
import type { PendingAnswer, Subscription } from "./subscription.js";

/** Maximum number of channels of a Follow. */
const MAX_CHANNELS = 64;

export class FollowSession extends Session {
  readonly #play: Client<typeof PlayService>;
  readonly #heartbeatMs: number;
  #controller: AbortController | undefined;
  /** The stream before, until the one that takes its place is open. */
  #previous: AbortController | undefined;
  /** Ends the reading of the stream, so that another one takes its place. */
  #replace: () => void = () => {};

  constructor(attemptMs: number, transport: Transport, heartbeatMs: number) {
    super(attemptMs);
    this.#heartbeatMs = heartbeatMs;
    this.#play = createClient(PlayService, transport);
  }

  override subscribe(subscription: Subscription): void {
    if (this.subscriptions.size >= MAX_CHANNELS) {
      subscription.fail(
        clientError(
          "SETTINGS",
          `over Follow a client has at most ${MAX_CHANNELS} seats and spectators at once`,
          `Über Follow hat ein Client höchstens ${MAX_CHANNELS} Plätze und Zuschauer zugleich`,
        ),
      );
      subscription.onReadable();
      return;
    }
    super.subscribe(subscription);
  }

  override close(): void {
    super.close();
    this.#previous?.abort(STREAM_DONE);
    this.#controller?.abort(STREAM_DONE);
  }

  protected override wake(subscription: Subscription): void {
    if (subscription.isAttachDue) {
      this.#replace();
    }
    for (const pending of subscription.takeDueAnswers()) {
      void this.#act(subscription, pending);
    }
  }

  protected override detach(): void {
    this.#replace();
  }

  protected override stopUnlessNeeded(): void {
    if (!this.isNeeded()) {
      this.#controller?.abort(STREAM_DONE);
    }
  }

  protected override async runStream(): Promise<StreamEnd> {
    const controller = new AbortController();
    this.#controller = controller;
    let replace = () => {};
    const replaced = new Promise<"replaced">((resolve) => {
      replace = () => resolve("replaced");
    });
    // Seats that are taken in the same turn of the event loop share the stream.
    await Promise.resolve();
    this.#replace = replace;
    const channels = this.#attachAll();
    if (channels.length === 0) {
      return { kind: "done" };
    }
    const silenceMs = 2 * this.#heartbeatMs + 2000;
    let timer = setTimeout(() => controller.abort(openTimeout(this.attemptMs)), this.attemptMs);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(silent(silenceMs)), silenceMs);
    };
    const onHeader = () => {
      heard();
      this.#endPrevious();
      this.opened();
    };
    try {
      const options: CallOptions = { signal: controller.signal, onHeader };
      const messages = this.#play
        .follow({ channels, heartbeatMs: this.#heartbeatMs }, options)
        [Symbol.asyncIterator]();
      for (;;) {
        const next = abortable(messages.next(), controller.signal);
        const message = await Promise.race([next, replaced]);
        if (message === "replaced") {
          // It fails when the stream is aborted, once the next one is open.
          next.catch(() => {});
          this.#endPrevious();
          this.#previous = controller;
          return { kind: "done" };
        }
        if (message.done === true) {
          // The stream ends when its last channel is closed, and that is no break.
          return this.channels.size === 0 ? { kind: "done" } : broken(streamEnded());
        }
        heard();
        this.receive(message.value);
        if (message.value.ending !== undefined) {
          const { ending } = message.value;
          return { kind: "broken", error: closeError(ending), notBeforeMs: ending.retryMs };
        }
        this.stopUnlessNeeded();
      }
    } catch (thrown) {
      return controller.signal.reason === STREAM_DONE
        ? { kind: "done" }
        : broken(ParlorError.from(controller.signal.reason ?? thrown));
    } finally {
      clearTimeout(timer);
      this.#replace = () => {};
      if (this.#previous !== controller) {
        controller.abort(STREAM_DONE);
        this.#endPrevious();
      }
      this.channels.clear();
      for (const subscription of this.subscriptions) {
        subscription.resetForNewStream();
      }
    }
  }

  #endPrevious(): void {
    this.#previous?.abort(STREAM_DONE);
    this.#previous = undefined;
  }

  #attachAll(): MessageInitShape<typeof FollowChannelSchema>[] {
    return [...this.subscriptions]
      .filter((subscription) => subscription.isAttachDue)
      .map((subscription) => {
        const channel = this.newChannel();
        this.channels.set(channel, subscription);
        return { channel, attach: subscription.attach(channel) };
      });
  }

  async #act(subscription: Subscription, pending: PendingAnswer): Promise<void> {
    const { opener } = subscription;
    const seatToken =
      opener.kind === "client" && opener.viewer.case === "seatToken" ? opener.viewer.value : "";
    try {
      const options = { timeoutMs: this.attemptMs, signal: this.closing.signal };
      const { answered } = await this.#play.act({ seatToken, answer: pending.answer }, options);
      if (answered === undefined) {
        throw new ParlorError("UNKNOWN_REPLY");
      }
      pending.sent = true;
      this.followUp(subscription, subscription.receive({ case: "answered", value: answered }));
    } catch (thrown) {
      this.followUp(subscription, subscription.answerFailed(pending, ParlorError.from(thrown)));
    }
  }
}

/** Why a stream is given up that brings neither items nor heartbeats. */
function silent(silenceMs: number): ParlorError {
  return clientError(
    "UNREACHABLE",
    `the server was not heard of for ${silenceMs} ms`,
    `Vom Server kam ${silenceMs} ms lang nichts`,
  );
}

/** Why the session itself aborted a stream: it is not needed any more. */
const STREAM_DONE = new ParlorError("CLOSED");

function broken(error: ParlorError): StreamEnd {
  return { kind: "broken", error, notBeforeMs: undefined };
}
