import { type EditorView, WidgetType } from '@codemirror/view';
import { text } from '../texts/texts.ts';

export class BulletWidget extends WidgetType {
  override toDOM(): HTMLElement {
    return element('span', { class: 'md-bullet md-columns md-columns-2', 'aria-hidden': 'true' }, '•');
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** A line break inside of a paragraph. */
export class SpaceWidget extends WidgetType {
  override toDOM(): HTMLElement {
    return element('span', {}, ' ');
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

export class RuleWidget extends WidgetType {
  override toDOM(): HTMLElement {
    return element('span', { class: 'md-rule' });
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** The box of a task. Ticking it changes the text. */
export class CheckboxWidget extends WidgetType {
  readonly isChecked: boolean;
  readonly label: string;
  readonly isDisabled: boolean;

  constructor(isChecked: boolean, label: string, isDisabled: boolean) {
    super();
    this.isChecked = isChecked;
    this.label = label;
    this.isDisabled = isDisabled;
  }

  override eq(other: CheckboxWidget): boolean {
    return (
      other.isChecked === this.isChecked && other.label === this.label && other.isDisabled === this.isDisabled
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = element('input', { type: 'checkbox', class: 'md-task', 'aria-label': this.label });
    box.checked = this.isChecked;
    box.disabled = this.isDisabled;
    box.addEventListener('change', () => {
      const from = view.posAtDOM(box) + 1;
      view.dispatch({
        changes: { from, to: from + 1, insert: this.isChecked ? ' ' : 'x' },
        userEvent: 'input',
      });
    });
    return box;
  }
}

/** An image of the text whose crop is asked for, and the address at which it is shown. */
export interface CroppedImage {
  readonly address: string;
  readonly url: string;
}

/** Sent by the text to insert or edit a video, a sound or a link card, with an `EmbedRequest`. */
export const EMBED_EVENT = 'embed';

/** Sent by an image of the text, with a `CroppedImage`. */
export const CROP_EVENT = 'cropimage';
/** Relative paths: other images are not in the content folder. */
const CROPPABLE = /^(?![a-z][a-z\d+.-]*:|\/).+\.(?:avif|jpe?g|png|webp)$/i;

/** An image, or its address if it cannot be shown. */
export class ImageWidget extends WidgetType {
  readonly urls: readonly string[];
  readonly alt: string;
  readonly address: string;

  constructor(urls: readonly string[], alt: string, address: string) {
    super();
    this.urls = urls;
    this.alt = alt;
    this.address = address;
  }

  override eq({ urls, alt, address }: ImageWidget): boolean {
    return alt === this.alt && address === this.address && urls.join() === this.urls.join();
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = element('span', { class: 'md-image' });
    const show = ([url, ...others]: readonly string[]): void => {
      if (url === undefined) {
        frame.replaceChildren(
          element('span', { class: 'md-missing' }, text('body.noPreview', { image: this.address })),
        );
        if (this.alt !== '') frame.append(element('span', { class: 'md-alt' }, this.alt));
        return;
      }
      const image = element('img', { alt: this.alt, src: url });
      image.addEventListener('load', () => view.requestMeasure());
      image.addEventListener('error', () => {
        show(others);
        view.requestMeasure();
      });
      frame.replaceChildren(image);
      if (!CROPPABLE.test(this.address)) return;
      const button = element('button', { type: 'button', class: 'md-crop small' }, text('file.crop'));
      button.append(element('span', { class: 'hidden' }, ` ${this.alt || this.address}`));
      button.addEventListener('mousedown', (event) => event.preventDefault());
      button.addEventListener('click', () => {
        const detail: CroppedImage = { address: this.address, url };
        frame.dispatchEvent(new CustomEvent(CROP_EVENT, { detail, bubbles: true }));
      });
      frame.append(button);
    };
    show(this.urls);
    return frame;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** An element with attributes and text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  content = '',
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.textContent = content;
  return created;
}
