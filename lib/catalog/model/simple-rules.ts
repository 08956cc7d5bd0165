import {
  BillingActionPolicy,
  BillingAlignment,
  PlanAlignmentChange,
  PlanAlignmentCreate,
} from '../../records/index.ts';
import { DEFAULT_PRICE_LIST, type PlanRules } from './catalog-model.ts';
import { type CreateConditions, prefixed } from './rule-conditions.ts';

const anyCreation: CreateConditions = {
  product: null,
  productCategory: null,
  billingPeriod: null,
  priceList: null,
};
const anySubscription = { ...anyCreation, phaseType: null };
const anySource = prefixed('from', anyCreation);
const anyChange = { ...anySource, phaseType: null, ...prefixed('to', anyCreation) };

/** Rules of a catalog whose author gave none (§12 item 3 step 2). */
export const SIMPLE_RULES: PlanRules = {
  changePolicy: [{ conditions: anyChange, result: BillingActionPolicy.IMMEDIATE }],
  changeAlignment: [{ conditions: anyChange, result: PlanAlignmentChange.START_OF_BUNDLE }],
  cancelPolicy: [{ conditions: anySubscription, result: BillingActionPolicy.IMMEDIATE }],
  createAlignment: [{ conditions: anyCreation, result: PlanAlignmentCreate.START_OF_BUNDLE }],
  billingAlignment: [{ conditions: anySubscription, result: BillingAlignment.ACCOUNT }],
  priceList: [{ conditions: anySource, result: DEFAULT_PRICE_LIST }],
};
