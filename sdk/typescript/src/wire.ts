/**
 * Every message, enum and service of the package parlor.v1, as generated from the .proto files: the entry
 * `@parlor/sdk/wire`.
 */
export * from "./gen/parlor/v1/agent_pb.js";
export * from "./gen/parlor/v1/board_pb.js";
export * from "./gen/parlor/v1/catalogue_pb.js";
export * from "./gen/parlor/v1/common_pb.js";
export * from "./gen/parlor/v1/error_pb.js";
export * from "./gen/parlor/v1/five_three_five_pb.js";
export * from "./gen/parlor/v1/game_pb.js";
export * from "./gen/parlor/v1/gap_pb.js";
export * from "./gen/parlor/v1/habe_fertig_pb.js";
export * from "./gen/parlor/v1/high_card_pb.js";
export * from "./gen/parlor/v1/no_dice_pb.js";
export * from "./gen/parlor/v1/play_pb.js";
export * from "./gen/parlor/v1/record_pb.js";
export * from "./gen/parlor/v1/table_pb.js";
export * from "./gen/parlor/v1/text_pb.js";
export * from "./gen/parlor/v1/tournament_pb.js";
export { create, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
export type { JsonValue, Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
