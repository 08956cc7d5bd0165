import type { PlanRules, RuleCase } from '../../model/catalog-model.ts';
import type { XmlText } from './xml-text.ts';

/** The element of each rule's result; the cases of a rule `x` are elements `xCase`. */
const RESULT_ELEMENTS: Readonly<Record<keyof PlanRules, string>> = {
  changePolicy: 'policy',
  changeAlignment: 'alignment',
  cancelPolicy: 'policy',
  createAlignment: 'alignment',
  billingAlignment: 'alignment',
  priceList: 'toPriceList',
};

export function writeRules(xml: XmlText, rules: PlanRules): void {
  writeRule(xml, 'changePolicy', rules.changePolicy);
  writeRule(xml, 'changeAlignment', rules.changeAlignment);
  writeRule(xml, 'cancelPolicy', rules.cancelPolicy);
  writeRule(xml, 'createAlignment', rules.createAlignment);
  writeRule(xml, 'billingAlignment', rules.billingAlignment);
  writeRule(xml, 'priceList', rules.priceList);
}

/** The conditions of a record have the names of their elements, in the order of the grammar. */
function writeRule(xml: XmlText, rule: keyof PlanRules, cases: readonly RuleCase<object, string>[]): void {
  xml.list(rule, cases, ({ conditions, result }) => {
    xml.element(`${rule}Case`, {}, () => {
      for (const [condition, value] of Object.entries(conditions)) {
        if (typeof value === 'string') xml.leaf(condition, value);
      }
      xml.leaf(RESULT_ELEMENTS[rule], result);
    });
  });
}
