import type { Location } from '../../model/parsed-version.ts';
import type { Frame } from './element.ts';
import type { XmlSource } from './source.ts';

/**
 * Where the records of a parsed document were, stored beside the model so that a semantic error can name its line.
 * `locate(plan)` is the element of the plan, `locate(plan, 'product')` its child, `locate(list, 'plan', 2)` the third of
 * its repeated children; a child that was not written is located at its parent.
 */
export class Positions {
  readonly #source: XmlSource;
  readonly #frames = new Map<object, Pick<Frame, 'offset' | 'childOffsets'>>();

  constructor(source: XmlSource) {
    this.#source = source;
  }

  remember(value: unknown, frame: Frame): void {
    if (typeof value !== 'object' || value === null) return;
    this.#frames.set(value, { offset: frame.offset, childOffsets: frame.childOffsets });
  }

  locate(record: object, child?: string, index?: number): Location | undefined {
    const frame = this.#frames.get(record);
    if (frame === undefined) return undefined;
    const offsets = child === undefined ? undefined : frame.childOffsets[child];
    const offset = Array.isArray(offsets) ? offsets[index ?? 0] : offsets;
    return this.#source.locate(offset ?? frame.offset);
  }
}
