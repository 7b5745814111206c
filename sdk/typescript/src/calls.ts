/** The calls of parlor.v1 with retries, deadlines, request ids and ParlorErrors. */
import type {
  DescMessage,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import { ParlorError } from "./error.js";
import { Backoff, sleep } from "./retry.js";
import { requestId } from "./random.js";
import {
  AgentService,
  CatalogueService,
  PlayService,
  RecordService,
  TableService,
  TournamentService,
} from "./wire.js";

/** Deadline of a call with all its attempts, and timeout of each, in milliseconds. */
export interface CallLimits {
  readonly deadlineMs: number;
  readonly attemptMs: number;
}

/** The services of parlor.v1, with every call as the .proto files define it. */
export interface Calls {
  readonly catalogue: Client<typeof CatalogueService>;
  readonly tables: Client<typeof TableService>;
  readonly play: Client<typeof PlayService>;
  readonly agents: Client<typeof AgentService>;
  readonly tournaments: Client<typeof TournamentService>;
  readonly records: Client<typeof RecordService>;
}

export function createCalls(transport: Transport, limits: CallLimits): Calls {
  return {
    catalogue: createService(CatalogueService, transport, limits),
    tables: createService(TableService, transport, limits),
    play: createService(PlayService, transport, limits),
    agents: createService(AgentService, transport, limits),
    tournaments: createService(TournamentService, transport, limits),
    records: createService(RecordService, transport, limits),
  };
}

function createService<S extends DescService>(
  service: S,
  transport: Transport,
  limits: CallLimits,
): Client<S> {
  const plain = createClient(service, transport) as Record<
    string,
    (request: never, options?: CallOptions) => unknown
  >;
  const wrapped: Record<string, unknown> = {};
  for (const method of service.methods) {
    const call = plain[method.localName];
    if (!call) {
      continue;
    }
    wrapped[method.localName] =
      method.methodKind === "unary"
        ? async (request: object, options?: CallOptions) => {
            const outcome = await callUnary(transport, method as DescMethodUnary, request, limits, options);
            if (outcome.error !== undefined) {
              throw outcome.error;
            }
            return outcome.reply;
          }
        : (request: never, options?: CallOptions) =>
            withParlorErrors(call(request, options) as AsyncIterable<unknown>);
  }
  return wrapped as Client<S>;
}

/** What became of a call, and how many attempts it took. */
export type CallOutcome<O extends DescMessage> =
  | { readonly reply: MessageShape<O>; readonly error?: undefined; readonly attempts: number }
  | { readonly error: ParlorError; readonly attempts: number };

/**
 * Makes a call until it succeeds, fails for good or reaches its deadline. A request that has a field for a
 * request id gets one, so that a repeat is harmless.
 */
export async function callUnary<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  request: object,
  limits: CallLimits,
  options: CallOptions = {},
): Promise<CallOutcome<O>> {
  const input = withRequestId(method.input, request) as MessageInitShape<I>;
  const backoff = new Backoff();
  const end = Date.now() + (options.timeoutMs ?? limits.deadlineMs);
  for (let attempts = 1; ; attempts += 1) {
    const timeoutMs = Math.max(1, Math.min(limits.attemptMs, end - Date.now()));
    try {
      const response = await transport.unary(method, options.signal, timeoutMs, options.headers, input);
      options.onHeader?.(response.header);
      options.onTrailer?.(response.trailer);
      return { reply: response.message, attempts };
    } catch (thrown) {
      if (options.signal?.aborted) {
        return { error: new ParlorError("CLOSED", { cause: thrown }), attempts };
      }
      const error = ParlorError.from(thrown);
      const waitMs = backoff.wait(error.retryMs);
      if (!error.temporary || Date.now() + waitMs >= end) {
        return { error, attempts };
      }
      await sleep(waitMs, options.signal);
    }
  }
}

function withRequestId(input: DescMessage, request: object): object {
  const field = input.field["requestId"];
  if (!field || ("requestId" in request && request.requestId !== undefined && request.requestId !== "")) {
    return request;
  }
  return { ...request, requestId: requestId() };
}

/** The messages of a stream; what goes wrong is thrown as a ParlorError. */
async function* withParlorErrors<T>(messages: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw ParlorError.from(thrown);
  }
}
