/** What the document says of a model: a sentence, and one for each property that means something of its own here. */
export interface ModelText {
  readonly about: string;
  readonly properties?: Readonly<Record<string, string>>;
}

export type ModelTexts = Readonly<Record<string, ModelText>>;
