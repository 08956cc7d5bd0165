import type { SectionText } from './section-texts.ts';

// One section of each kind, whose tiers end at numbers that few points come to.

export const calls: SectionText = {
  name: 'calls-usage',
  kind: 'ALL_TIERS',
  period: 'MONTHLY',
  tiers: [
    {
      parts: [
        ['calls', '2', '3', '1'],
        ['mails', '0.5', '2', '0.335'],
      ],
    },
    {
      parts: [
        ['calls', '1', '5', '0'],
        ['mails', '1', '4', '0.5'],
      ],
    },
    {
      parts: [
        ['calls', '3', '4', '7.125'],
        ['mails', '1', '3', '9'],
      ],
    },
  ],
};

export const top: SectionText = {
  name: 'top-usage',
  kind: 'TOP_TIER',
  period: 'THIRTY_DAYS',
  tiers: [
    { parts: [['mails', '1', '4', '10']] },
    { parts: [['mails', '2', '4', '1.005']] },
    { parts: [['mails', '5', '2', '0.333']] },
  ],
};

export const peaks: SectionText = {
  name: 'peak-usage',
  kind: 'CAPACITY',
  period: 'MONTHLY',
  tiers: [
    {
      price: '1',
      parts: [
        ['mails', '3'],
        ['calls', '7.5'],
      ],
    },
    {
      price: '5.555',
      parts: [
        ['mails', '6'],
        ['calls', '8'],
      ],
    },
  ],
};

/** The section with other ends of its tiers: those of each tier, in the order of its parts. */
export function endingAt(section: SectionText, ends: readonly (readonly string[])[]): SectionText {
  const place = section.kind === 'CAPACITY' ? 1 : 2;
  return {
    ...section,
    tiers: section.tiers.map((tier, index) => ({
      ...tier,
      parts: tier.parts.map((part, each) => part.with(place, ends[index]?.[each] ?? '')),
    })),
  };
}
