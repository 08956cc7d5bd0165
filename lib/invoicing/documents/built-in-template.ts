/**
 * The page for tenants without a template (§14 rule 2). It has no scripts or external resources, and supports any
 * screen width, A4 and Letter paper, and both text directions.
 */
export const BUILT_IN_TEMPLATE = `<!DOCTYPE html>
<html lang="{{language}}" dir="{{direction}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<title>{{text.invoiceTitle}} {{invoice.formattedInvoiceNumber}}</title>
<style>
:root { color-scheme: light; --rule: #1a1d21; --heading: #1a1d21; }
* { box-sizing: border-box; }
html { background: #fff; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  color: #1a1d21; background: #fff; margin: 0 auto; max-inline-size: 50rem; padding: 3rem 1.5rem;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic",
    "Noto Sans Hebrew", "Noto Sans JP", "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header { display: flex; flex-wrap: wrap; gap: 1.5rem 3rem; justify-content: space-between; margin-block-end: 2.5rem; }
h1 { color: var(--heading); font-size: 2rem; line-height: 1.2; font-weight: 650; margin: 0; }
h2 { color: var(--heading); font-size: 1rem; font-weight: 600; margin: 0 0 .5rem; }
.status {
  display: inline-block; margin-block-start: .5rem; padding: .1rem .75rem; border: 1.5px solid currentColor;
  border-radius: 1rem; font-size: .875rem; font-weight: 600;
}
.paid { color: #146c3a; }
.draft, .void { color: #9a3412; }
address { font-style: normal; }
.company { text-align: end; }
.company strong { display: block; }
.logo { display: block; max-block-size: 4rem; max-inline-size: 14rem; margin-block-end: .75rem; margin-inline-start: auto; }
.facts { display: flex; flex-wrap: wrap; gap: 1.5rem 3rem; justify-content: space-between; margin-block-end: 2.5rem; }
.label { color: #565d66; font-size: .875rem; margin: 0 0 .25rem; }
.facts p { margin: 0; }
dl { display: grid; grid-template-columns: auto auto; gap: .25rem 1.5rem; margin: 0; align-content: start; }
dt { color: #565d66; }
dd { margin: 0; text-align: end; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: end; }
table { inline-size: 100%; border-collapse: separate; border-spacing: 0; }
th, td { padding: .625rem 0; text-align: start; vertical-align: top; }
th + th, td + td, td + th { padding-inline-start: 1.5rem; }
thead th { color: #565d66; font-size: .875rem; font-weight: 500; border-block-end: 1.5px solid var(--rule); vertical-align: bottom; }
tbody tr:not(.sum) td { border-block-end: 1px solid #d9dde2; }
td.period { white-space: nowrap; }
th.number { text-align: end; }
th:first-child { inline-size: 55%; }
.detail { display: block; color: #565d66; font-size: .875rem; }
.sum > * { padding-block: .125rem; font-weight: 400; }
.sum th { color: #565d66; text-align: start; }
.sum.first > * { padding-block-start: 1.5rem; }
.sum.due > * { position: relative; font-size: 1.25rem; font-weight: 650; color: inherit; padding-block-start: 1rem; }
.sum.due > * + *::before { content: ""; position: absolute; inset-block-start: .5rem; inset-inline: 0; border-block-start: 1.5px solid var(--rule); }
.sum.due > th::before { inset-inline-start: 1.5rem; }
.sum.due > td:first-child { padding: 0; }
.sum.first.due > * { padding-block-start: 1.5rem; }
.sum.first.due > *::before { display: none; }
.sum .detail { font-weight: 400; }
.payment { margin-block-start: 2.5rem; break-inside: avoid; }
.payment dl { justify-content: start; }
.payment dd { text-align: start; }
.note { margin-block-start: 2.5rem; white-space: pre-line; break-inside: avoid; }
footer { margin-block-start: 3rem; padding-block-start: 1rem; border-block-start: 1px solid #d9dde2; color: #565d66; font-size: .875rem; white-space: pre-line; break-inside: avoid; }
@media (max-width: 36rem) {
  body { padding: 1.5rem 1rem; }
  .company { text-align: start; }
  .logo { margin-inline-start: 0; }
  thead { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr:not(.sum) { display: grid; grid-template-columns: 1fr auto; column-gap: 1rem; padding-block: .75rem; border-block-end: 1px solid #d9dde2; }
  tbody tr:not(.sum) td { border: 0; padding: 0; }
  .sum { display: flex; justify-content: space-between; }
  .sum > td:first-child { display: none; }
  .sum > th { padding-inline-start: 0; }
  .sum.due > th::before { inset-inline-start: 0; }
  .sum.due > th { flex-grow: 1; }
  td.period { grid-row: 2; grid-column: 1; color: #565d66; font-size: .875rem; white-space: normal; }
  tr:not(.sum) > td.number { grid-row: 1; grid-column: 2; }
  td.tax::before { content: attr(data-name) " "; }
  tr:not(.sum) > td.tax { grid-row: 2; color: #565d66; font-size: .875rem; }
  .facts dl { inline-size: 100%; }
}
@page {
  margin: 18mm 16mm 20mm;
  @bottom-right { content: counter(page) " / " counter(pages); color: #565d66; font: 8pt system-ui, sans-serif; }
}
@media print {
  html { font-size: 10pt; }
  body { max-inline-size: none; padding: 0; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  .closing { break-inside: avoid; }
  tbody tr:not(.sum) td { padding-block: .4rem; }
  .status { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
</style>
</head>
<body{{#seller.accentColor}} style="--rule: {{seller.accentColor}}; --heading: {{seller.headingColor}}"{{/seller.accentColor}}>
<header>
  <div>
    <h1>{{text.invoiceTitle}}</h1>
    {{#invoice.isPaid}}<span class="status paid">{{text.invoiceStatusPaid}}</span>{{/invoice.isPaid}}
    {{#invoice.isDraft}}<span class="status draft">{{text.invoiceStatusDraft}}</span>{{/invoice.isDraft}}
    {{#invoice.isVoid}}<span class="status void">{{text.invoiceStatusVoid}}</span>{{/invoice.isVoid}}
  </div>
  {{#seller}}
  <address class="company">
    {{#logo}}<img class="logo" src="{{logo}}" alt="{{name}}">{{/logo}}
    <strong><bdi>{{name}}</bdi></strong>
    {{#lines}}
    <bdi>{{.}}</bdi><br>
    {{/lines}}
  </address>
  {{/seller}}
  {{^seller}}
  {{#text.companyName}}
  <address class="company">
    <strong><bdi>{{text.companyName}}</bdi></strong>
    {{#text.companyAddress}}<bdi>{{text.companyAddress}}</bdi><br>{{/text.companyAddress}}
    {{#text.companyCityProvincePostalCode}}<bdi>{{text.companyCityProvincePostalCode}}</bdi><br>{{/text.companyCityProvincePostalCode}}
    <bdi>{{text.companyCountry}}</bdi>
  </address>
  {{/text.companyName}}
  {{/seller}}
</header>
<main>
  <div class="facts">
    <div class="customer">
      {{#account.hasAddressee}}
      <p class="label">{{text.invoiceBillTo}}</p>
      <address>
        {{#account.addressee}}
        <bdi>{{.}}</bdi><br>
        {{/account.addressee}}
        {{#account.formattedTaxId}}<bdi>{{account.formattedTaxId}}</bdi>{{/account.formattedTaxId}}
      </address>
      {{/account.hasAddressee}}
    </div>
    <dl>
      {{#invoice.facts}}
      <dt>{{label}}</dt><dd><bdi>{{value}}</bdi></dd>
      {{/invoice.facts}}
    </dl>
  </div>
  <table>
    <thead>
      <tr>
        <th scope="col">{{text.invoiceItemDescription}}</th>
        <th scope="col">{{text.invoiceItemServicePeriod}}</th>
        {{#invoice.taxColumn}}
        <th scope="col" class="number">{{invoice.taxColumn}}</th>
        {{/invoice.taxColumn}}
        <th scope="col" class="number">{{text.invoiceItemAmount}}</th>
      </tr>
    </thead>
    <tbody class="items">
      {{#invoice.leadingLines}}
      <tr>
        <td><bdi>{{name}}</bdi>{{#detail}}<span class="detail"><bdi>{{detail}}</bdi></span>{{/detail}}{{#notes}}<span class="detail"><bdi>{{.}}</bdi></span>{{/notes}}</td>
        <td class="period">{{formattedPeriod}}</td>
        {{#invoice.taxColumn}}
        <td class="number tax" data-name="{{invoice.taxColumn}}">{{formattedTaxRate}}</td>
        {{/invoice.taxColumn}}
        <td class="number">{{formattedAmount}}</td>
      </tr>
      {{/invoice.leadingLines}}
    </tbody>
    <tbody class="closing">
      {{#invoice.closingLines}}
      <tr>
        <td><bdi>{{name}}</bdi>{{#detail}}<span class="detail"><bdi>{{detail}}</bdi></span>{{/detail}}{{#notes}}<span class="detail"><bdi>{{.}}</bdi></span>{{/notes}}</td>
        <td class="period">{{formattedPeriod}}</td>
        {{#invoice.taxColumn}}
        <td class="number tax" data-name="{{invoice.taxColumn}}">{{formattedTaxRate}}</td>
        {{/invoice.taxColumn}}
        <td class="number">{{formattedAmount}}</td>
      </tr>
      {{/invoice.closingLines}}
      {{^invoice.closingLines}}
      <tr><td colspan="3">{{text.invoiceNoItems}}</td></tr>
      {{/invoice.closingLines}}
      {{#invoice.totals}}
      <tr class="sum{{#isFirst}} first{{/isFirst}}{{#isStressed}} due{{/isStressed}}"><td></td><th scope="row"{{#invoice.taxColumn}} colspan="2"{{/invoice.taxColumn}}><bdi>{{label}}</bdi>{{#details}}<span class="detail"><bdi>{{.}}</bdi></span>{{/details}}</th><td class="number">{{value}}</td></tr>
      {{/invoice.totals}}
    </tbody>
  </table>
  {{#invoice.hasPaymentDetails}}
  <section class="payment">
    <h2>{{text.paymentTitle}}</h2>
    <dl>
      {{#invoice.paymentDetails}}
      <dt>{{label}}</dt><dd><bdi>{{value}}</bdi></dd>
      {{/invoice.paymentDetails}}
    </dl>
  </section>
  {{/invoice.hasPaymentDetails}}
  {{#invoice.isPaidByParent}}
  <p class="note">{{text.paymentByParent}}</p>
  {{/invoice.isPaidByParent}}
  {{#account.isManualPay}}
  {{#invoice.isOwed}}
  {{^invoice.isPaidByParent}}
  {{#text.invoicePaymentInstructions}}
  <p class="note" dir="auto">{{text.invoicePaymentInstructions}}</p>
  {{/text.invoicePaymentInstructions}}
  {{/invoice.isPaidByParent}}
  {{/invoice.isOwed}}
  {{/account.isManualPay}}
  {{#invoice.note}}
  <p class="note" dir="auto">{{invoice.note}}</p>
  {{/invoice.note}}
  {{#invoice.sellerNote}}
  <p class="note" dir="auto">{{invoice.sellerNote}}</p>
  {{/invoice.sellerNote}}
</main>
{{#text.invoiceFooter}}
<footer dir="auto">{{text.invoiceFooter}}</footer>
{{/text.invoiceFooter}}
</body>
</html>
`;
