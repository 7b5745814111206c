// A modal dialog on the browser's own <dialog>, which keeps the focus and closes with Escape.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStrings } from "../i18n";
import { Icon } from "./Icon";

interface Props {
  title: ComponentChildren;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, class: name = "", onClose, children }: Props) {
  const t = useStrings();
  const element = useRef<HTMLDialogElement>(null);
  // With the drawing itself: a key pressed at once after it is for the dialog.
  useLayoutEffect(() => {
    const { current } = element;
    current?.showModal();
    // The attribute autofocus would do, but browsers grumble about it on the console.
    current?.querySelector<HTMLElement>('[data-focus="true"]')?.focus();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label={t.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
