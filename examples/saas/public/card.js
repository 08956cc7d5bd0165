// Stripe's form for a card. The card goes from the browser to Stripe; our server receives only its id.
const form = document.querySelector('#card');
const stripe = window.Stripe(form.dataset.key);
const elements = stripe.elements({ clientSecret: form.dataset.clientSecret });
elements.create('payment').mount('#card-fields');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { error } = await stripe.confirmSetup({ elements, redirect: 'if_required' });
  if (error) document.querySelector('#card-error').textContent = error.message;
  else form.submit();
});
