/** What a case asks for, by the name of the property that it reads; none = it holds always. */
export type RuleConditions = Readonly<Record<string, string>>;

/** What a rule says, and the case that says it. */
export interface RuleDecision<Result extends string> {
  readonly result: Result;
  /** What the case asks for, all of which holds; null = no case holds, so that the default counts. */
  readonly conditions: RuleConditions | null;
}
