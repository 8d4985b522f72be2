// The serial console: a simulated machine behind IPMI says its boot text and echoes what is typed. Two
// people look on, one types; what a hostile machine sends stays inside the terminal.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTILE, ask, audit, browser, clean, demo, enrol, foreign, open, simulator } from './lab.mjs';

let service;
let chrome;
let sim;
let node;
before(async () => {
  [service, chrome, sim] = await Promise.all([demo(), browser(), simulator()]);
  const [machine] = sim.machines;
  node = await enrol(service.url, 'talks', {
    driver: 'ipmi',
    console_interface: 'ipmitool-socat',
    driver_info: { ipmi_address: machine.ipmi_address, ipmi_port: machine.ipmi_port, ipmi_username: 'admin', ipmi_password: 'password' },
  });
  await ask(service.url, 'PUT', `/v1/nodes/${node}/states/power`, { target: 'power on' });
});
after(async () => {
  await chrome?.close();
  await service?.stop();
  await sim?.stop();
});

const screenText = (page) => page.evaluate(() => [...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent).join('\n'));

/** Puts a line in at once, as from the clipboard; the machine says it again. */
async function paste(page, line) {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.querySelector('.xterm-helper-textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, line);
}

async function shows(page, words) {
  const waits = page.waitForFunction(
    (wanted) => [...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.includes(wanted)),
    words,
  );
  await waits.catch(async (error) => {
    const status = await page.locator('.console-bar').innerText();
    throw new Error(`'${words}' is not on the screen (${status}):\n${await screenText(page)}`, { cause: error });
  });
}

test('the console is switched on, typed on, watched and taken over', async () => {
  const address = `${service.url}/ui/nodes/talks?tab=console`;
  const first = await open(chrome, address);
  await first.page.getByRole('button', { name: 'Switch it on' }).click();
  await first.page.locator('.console-open', { hasText: 'you type' }).waitFor();
  await first.page.locator('.xterm-helper-textarea').focus();
  await first.page.keyboard.type('hello from ada');
  await shows(first.page, 'hello from ada');
  assert.deepEqual(await audit(first.page), []);

  const second = await open(chrome, address);
  await second.page.locator('.console-open', { hasText: 'another user types' }).waitFor();
  await second.page.getByRole('button', { name: 'Take over' }).click();
  await second.page.locator('.console-open', { hasText: 'you type' }).waitFor();
  await first.page.locator('.console-open', { hasText: 'another user types' }).waitFor();
  await second.page.locator('.xterm-helper-textarea').focus();
  await second.page.keyboard.type('and from bob');
  await shows(first.page, 'and from bob');
  await shows(second.page, 'and from bob');

  // What is pasted in several lines is shown first.
  await second.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'one\ntwo\n');
    document.querySelector('.xterm-helper-textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await second.page.locator('dialog[open]', { hasText: 'Paste several lines?' }).waitFor();
  await second.page.keyboard.press('Escape');

  // The keyboard comes back to the page.
  await second.page.locator('.xterm-helper-textarea').focus();
  await second.page.keyboard.press('Control+Alt+Escape');
  assert.equal(await second.page.evaluate(() => document.activeElement.closest('.console-bar') !== null), true);
  clean(first);
  clean(second);
  await first.close();
  await second.close();
});

test('what a machine writes is text, on the screen and for screen readers', async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes/talks?tab=console`);
  const { page } = opened;
  await page.locator('.console-open', { hasText: 'you type' }).waitFor();
  await page.getByRole('button', { name: 'Text mode, for screen readers' }).click();
  // As many at a time as are in sight together.
  for (let at = 0; at < HOSTILE.length; at += 10) {
    await page.locator('.xterm-helper-textarea').focus();
    for (const text of HOSTILE.slice(at, at + 10)) {
      await paste(page, text);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.type(`that was ${at}.`);
    await shows(page, `that was ${at}.`);
    assert.deepEqual(await page.evaluate(foreign), []);
    await page.keyboard.press('Enter');
  }
  clean(opened);
  await opened.close();
});

test('sequences that reach out of the terminal are swallowed', async () => {
  const opened = await open(chrome, `${service.url}/ui/nodes/talks?tab=console`);
  const { page } = opened;
  await page.locator('.console-open', { hasText: 'you type' }).waitFor();
  const title = await page.title();
  await page.evaluate(() => navigator.clipboard.writeText('untouched'));
  await page.locator('.xterm-helper-textarea').focus();
  // The machine echoes: what is sent comes back as its own words.
  const sent = ['\u001b]0;hostile title\u0007', '\u001b]8;;javascript:hostile()\u0007click\u001b]8;;\u0007', '\u001b]52;c;aG9zdGlsZQ==\u0007', '\u001b[21t', '\u001b[?1$p'];
  for (const text of sent) await paste(page, text);
  await page.keyboard.type('after');
  await shows(page, 'after');
  assert.equal(await page.title(), title);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'untouched');
  assert.equal(await page.locator('.console-screen a').count(), 0);
  assert.ok(!(await screenText(page)).includes('hostile title'));
  clean(opened);
  await opened.close();
});
