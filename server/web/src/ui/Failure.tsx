// What went wrong, in words, with a way to try again.

import { ParlorError } from "../api";
import { JoinError } from "../hub/client";
import { useStrings, useText } from "../i18n";

/** The text of an error, in both languages; undefined if it has none for people. */
export function errorText(error: unknown): { en: string; de: string } | undefined {
  if (error instanceof ParlorError) return error.text;
  if (error instanceof JoinError) return error.detail.text;
  return undefined;
}

export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const t = useStrings();
  const text = useText();
  return (
    <div class="failure" role="alert">
      <p>{text(errorText(error)) || t.unexpected}</p>
      {again && (
        <button type="button" class="button" onClick={again}>
          {t.retry}
        </button>
      )}
    </div>
  );
}
