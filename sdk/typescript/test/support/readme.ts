/** The code of the README. */
import { readFileSync } from "node:fs";

/** The blocks of code in a language, in order. */
export function codeBlocks(language: string): string[] {
  const text = readFileSync("README.md", "utf8");
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? "");
}
