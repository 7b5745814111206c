// A link to copy.

import { useRef, useState } from "preact/hooks";
import { useStrings } from "../i18n";

export function CopyField({ value }: { value: string }) {
  const t = useStrings();
  const [copied, setCopied] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      // A page without TLS may not copy: the link is selected, for the keyboard.
    }
  };
  return (
    <div class="copy-field">
      <input
        ref={input}
        class="input"
        readOnly
        value={value}
        aria-label={t.copyLink}
        onFocus={(event) => event.currentTarget.select()}
      />
      <button type="button" class="button" onClick={() => void copy()}>
        {copied ? t.copied : t.copyLink}
      </button>
    </div>
  );
}
