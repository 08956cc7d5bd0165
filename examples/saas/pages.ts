import type { Decimal } from '../../adapters/node/billwright.ts';
import type { Change, Preview } from './change.ts';
import { type Html, html } from './html.ts';
import type { Overview } from './overview.ts';
import { CURRENCY, OFFERS } from './plans.ts';

type Invoice = NonNullable<Overview['upcoming']>;

function page(title: string, body: Html, isSignedIn = true): Html {
  const logOut = html`<form method="post" action="/log-out"><button class="plain">Log out</button></form>`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Herald</title><link rel="stylesheet" href="/style.css"></head>
<body><header><a href="/">Herald</a>${isSignedIn ? logOut : null}</header><main>${body}</main></body>
</html>`;
}

export function messagePage(message: string): Html {
  return page('Herald', html`<p class="error" role="alert">${message}</p><p><a href="/">Back</a></p>`, false);
}

export function welcomePage(): Html {
  const credentials = html`<label>E-mail <input name="email" type="email" autocomplete="email" required></label>
<label>Password <input name="password" type="password" minlength="8" required></label>`;
  return page(
    'Welcome',
    html`<h1>Newsletters for teams. 14 days free, no card needed.</h1>
<section><h2>Sign up</h2><form method="post" action="/sign-up">
<label>Company <input name="company" maxlength="200" required></label>${credentials}
<label>Plan <select name="plan">${planOptions('')}</select></label>
<label>Seats <input name="seats" type="number" min="1" max="1000" value="1" required></label>
<label>Coupon <input name="coupon" maxlength="64"></label>
<button>Start the trial</button></form></section>
<section><h2>Log in</h2><form method="post" action="/log-in">${credentials}<button>Log in</button></form></section>`,
    false,
  );
}

function planOptions(current: string): readonly Html[] {
  return Object.entries(OFFERS).map(
    ([name, offer]) =>
      html`<option value="${name}"${name === current ? html` selected` : null}>${offer}</option>`,
  );
}

export function accountPage(overview: Overview): Html {
  const { customer, upcoming, hasCard, canExport, events } = overview;
  return page(
    customer.company,
    html`<h1>${customer.company}</h1>
${planSection(overview)}
<section><h2>Next invoice</h2>${upcoming === null ? html`<p>None</p>` : invoiceLines(upcoming)}</section>
<section><h2>Card</h2><p>${hasCard ? 'Invoices are paid by card.' : 'No card yet. Add one before the trial ends.'}</p>
<form action="/card"><button>${hasCard ? 'Use another card' : 'Add a card'}</button></form></section>
${usageSection(overview)}
${invoicesSection(overview)}
<section class="wide"><h2>Events</h2><table>${events.map(
      ({ type, received_at }) =>
        html`<tr><td>${type}</td><td class="faint">${received_at.slice(0, 16).replace('T', ' ')}</td></tr>`,
    )}</table>${canExport ? html`<p><a href="/events.csv">Export</a></p>` : null}</section>`,
  );
}

function planSection({ subscription, seats }: Overview): Html {
  const { planName, phaseType, quantity, billingEnd } = subscription;
  const ends = html`<p>Ends on ${billingEnd?.date ?? ''}.</p>
<form method="post" action="/keep"><button>Keep the subscription</button></form>`;
  const changes = html`<form action="/change"><input type="hidden" name="change" value="CHANGE_QUANTITY">
<label>Seats <input name="value" type="number" min="1" max="1000" value="${quantity}"></label><button>Preview</button></form>
<form action="/change"><input type="hidden" name="change" value="CHANGE_PLAN">
<label>Plan <select name="value">${planOptions(planName ?? '')}</select></label><button>Preview</button></form>
<form action="/change"><input type="hidden" name="change" value="CANCEL"><button class="plain">Cancel…</button></form>`;
  return html`<section><h2>Plan</h2><p class="big">${OFFERS[planName ?? ''] ?? planName}</p>
<p>${seats?.amount?.toString() ?? '0'} seats${phaseType === 'TRIAL' ? ', free trial' : null}</p>
${billingEnd === null ? changes : ends}</section>`;
}

function usageSection({ usage, messages }: Overview): Html {
  const lines = usage.map(
    ({ startDate, endDate, amount }) => html`<p>${startDate} to ${endDate}: ${money(amount)} so far</p>`,
  );
  const left = messages?.remaining?.toString() ?? '0';
  const included = messages?.amount?.toString() ?? '0';
  return html`<section><h2>Messages</h2><p>${left} of ${included} included messages left.</p>${lines}
<form method="post" action="/messages"><button>Send 100 messages</button></form></section>`;
}

function invoicesSection({ invoices }: Overview): Html {
  const rows = invoices.map(
    ({ id, invoiceDate, invoiceNumber, amount, balance }) => html`<tr><td class="faint">${invoiceDate}</td>
<td><a href="/invoices/${id}.html">Invoice ${invoiceNumber}</a></td><td><a href="/invoices/${id}.pdf">PDF</a></td>
<td class="number">${money(amount)}</td><td>${balance.isZero() ? 'paid' : html`<b>${money(balance)} open</b>`}</td></tr>`,
  );
  return html`<section class="wide"><h2>Invoices</h2><table>${rows}</table></section>`;
}

export function previewPage(change: Change, { effective, dueNow, next, credit }: Preview): Html {
  const value = 'planName' in change ? change.planName : 'quantity' in change ? change.quantity : '';
  return page(
    'Preview',
    html`<h1>This is what changes on ${effective.date}</h1>
<section><h2>Due now</h2>${dueNow === null ? html`<p>Nothing</p>` : invoiceLines(dueNow)}
${credit.isZero() ? null : html`<p>Credit for later invoices: ${money(credit)}</p>`}</section>
<section><h2>Next invoice</h2>${next === null ? html`<p>None</p>` : invoiceLines(next)}</section>
<section><form method="post" action="/change"><input type="hidden" name="change" value="${change.change}">
<input type="hidden" name="value" value="${value}"><button>Confirm</button></form>
<form action="/"><button class="plain">Back</button></form></section>`,
  );
}

export function cardPage(publishableKey: string | null, clientSecret: string | null): Html {
  if (publishableKey === null)
    return page(
      'Card',
      html`<section><h2>Test card</h2><p>Without a Stripe key, the sandbox accepts every payment.</p>
<form method="post" action="/card"><button>Use the test card</button></form></section>`,
    );
  return page(
    'Card',
    html`<section><h2>Card</h2>
<form id="card" method="post" action="/card" data-key="${publishableKey}" data-client-secret="${clientSecret}">
<div id="card-fields"></div><p id="card-error" role="alert"></p><button>Save the card</button></form>
<script src="https://js.stripe.com/v3/"></script><script src="/card.js"></script></section>`,
  );
}

function invoiceLines({ targetDate, amount, items }: Invoice): Html {
  const rows = items.map(
    (item) =>
      html`<tr><td>${nameOf(item)}${couponsOf(item)}</td><td class="number">${money(item.amount)}</td></tr>`,
  );
  return html`<p class="big">${money(amount)}</p><p class="faint">on ${targetDate}</p><table>${rows}</table>`;
}

function nameOf({ itemType, description, prettyUsageName, prettyPlanName }: Invoice['items'][number]) {
  return itemType === 'RECURRING' ? prettyPlanName : (prettyUsageName ?? description);
}

function couponsOf({ discounts }: Invoice['items'][number]): string {
  return (discounts ?? []).map(({ code, amount }) => `, ${code} −${money(amount)}`).join('');
}

const money = (amount: Decimal): string => `${amount.toFixed(2)} ${CURRENCY}`;
