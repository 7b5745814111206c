// The rules of a game: the few forms of Markdown that they use, as elements. No HTML is ever taken over.

import type { ComponentChildren } from "preact";

/** Emphasis, code and links within a line. */
function inline(text: string): ComponentChildren[] {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part, index) => {
    if (part.startsWith("**") && part.length > 4) return <b key={index}>{part.slice(2, -2)}</b>;
    if (part.startsWith("*") && part.length > 2) return <em key={index}>{part.slice(1, -1)}</em>;
    if (part.startsWith("`") && part.length > 2) return <code key={index}>{part.slice(1, -1)}</code>;
    return part;
  });
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

const LIST = /^\s*(?:[-*]|\d+\.)\s+/;

/** A block: the lines between two empty ones. */
function Block({ lines }: { lines: readonly string[] }) {
  const first = lines[0]!;
  const heading = /^(#+)\s+(.*)$/.exec(first);
  if (heading) {
    const rest = lines.slice(1);
    const Tag = heading[1]!.length === 1 ? "h2" : "h3";
    return (
      <>
        <Tag>{inline(heading[2]!)}</Tag>
        {rest.length > 0 && <Block lines={rest} />}
      </>
    );
  }
  if (first.includes("|") && lines[1]?.match(/^[\s|:-]+$/)) {
    return (
      <table>
        <thead>
          <tr>
            {cells(first).map((cell, index) => (
              <th key={index} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.slice(2).map((line, row) => (
            <tr key={row}>
              {cells(line).map((cell, index) => (
                <td key={index}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  }
  const begin = lines.findIndex((line) => LIST.test(line));
  if (begin > 0 || (begin === -1 && !LIST.test(first))) {
    const end = begin === -1 ? lines.length : begin;
    return (
      <>
        <p>{inline(lines.slice(0, end).join(" "))}</p>
        {begin > 0 && <Block lines={lines.slice(begin)} />}
      </>
    );
  }
  const items: string[] = [];
  for (const line of lines) {
    if (LIST.test(line)) items.push(line.replace(LIST, ""));
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  const Tag = /^\s*\d/.test(first) ? "ol" : "ul";
  return (
    <Tag>
      {items.map((item, index) => (
        <li key={index}>{inline(item)}</li>
      ))}
    </Tag>
  );
}

export function Markdown({ text }: { text: string }) {
  const blocks = text.split(/\n\s*\n/).map((block) => block.split("\n").filter((line) => line.trim() !== ""));
  return (
    <div class="markdown">
      {blocks.map((lines, index) => lines.length > 0 && <Block key={index} lines={lines} />)}
    </div>
  );
}
