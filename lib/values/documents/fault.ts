/** A document that is not well-formed: one defect, at the first character that cannot be. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
