/** Programs of the examples, as a user runs them. */
import { spawn } from "node:child_process";
import { writeFileSync, mkdirSync } from "node:fs";

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end. */
export async function runProgram(command: string, args: string[]): Promise<ProgramResult> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (errors += data));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output, errors };
}

/** Writes a program where it finds the package by its name; returns its path. */
export function writeProgram(name: string, text: string): string {
  mkdirSync("build/programs", { recursive: true });
  const path = `build/programs/${name}`;
  writeFileSync(path, text);
  return path;
}
