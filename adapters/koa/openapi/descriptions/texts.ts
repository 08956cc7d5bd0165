/**
 * Texts of the documents by model, property and `Model.property`. Use the last form if a property has another meaning
 * in that model.
 */
export type Texts = Readonly<Record<string, string>>;
