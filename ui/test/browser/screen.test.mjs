// The graphical console in its own document: the built-in picture and the screen of a QEMU machine are
// seen and typed on, by what is on the canvas.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PATIENCE_MS, ask, audit, browser, clean, demo, enrol, open, simulator } from './lab.mjs';

const QEMU = '/usr/bin/qemu-system-x86_64';

let service;
let chrome;
before(async () => {
  [service, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await service?.stop();
});

/** How many pixels of the screen's lower part are bright; -1 while there is none. */
const lit = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('#screen canvas');
    if (canvas === null || canvas.width === 0 || canvas.height === 0) return -1;
    const from = Math.floor(canvas.height * 0.3);
    const { data } = canvas.getContext('2d').getImageData(0, from, canvas.width, canvas.height - from);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] > 150) count += 1;
    return count;
  });

/** Waits until more pixels than that are bright. */
async function brightens(page, than) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const now = await lit(page);
    if (now > than) return now;
    if (Date.now() > end) throw new Error(`${now} pixels are bright, not more than ${than}`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

/** Switches a console on and waits for its address. */
async function address(node) {
  const path = `/v1/nodes/${node}/states/console`;
  const put = await ask(service.url, 'PUT', path, { enabled: true });
  assert.equal(put.status, 202, put.text);
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await ask(service.url, 'GET', path);
    if (json.console_enabled) return json.console_info.url;
    const { json: shown } = await ask(service.url, 'GET', `/v1/nodes/${node}`);
    if (shown.last_error !== null || Date.now() > end) throw new Error(`the console stays off: ${shown.last_error}`);
    await ask(service.url, 'GET', `/corten/v1/events?node=${node}&wait=2`);
  }
}

const connected = (page) => page.locator('#state[data-line="open"]').waitFor();

test('the picture of fake-graphical is opened from the node, typed on, watched, left and ended', async () => {
  const node = await enrol(service.url, 'pictured', { console_interface: 'fake-graphical' });
  const first = await open(chrome, `${service.url}/ui/nodes/pictured?tab=console`);
  await first.page.getByRole('button', { name: 'Switch it on' }).click();
  const opened = first.page.context().waitForEvent('page');
  await first.page.getByRole('button', { name: 'Open the screen' }).click();
  const popup = await opened;
  // A window has no address until its document is there.
  await popup.waitForURL(/\/ui\/vnc/);
  const url = popup.url();
  assert.equal(url, await address(node));
  clean(first);
  await first.close();

  const shown = await open(chrome, url);
  const { page } = shown;
  await connected(page);
  assert.deepEqual(await audit(page), []);
  let before = await brightens(page, 500);
  // One after the other: what is drawn later would look as if a watcher had typed it.
  for (const letter of 'hello') {
    await page.keyboard.type(letter);
    before = await brightens(page, before);
  }

  // Nothing goes to the machine after the keys that give the keyboard back, nor from who watches.
  await page.keyboard.press('Control+Alt+Escape');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'watch');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#watch').getAttribute('aria-pressed'), 'true');
  await page.locator('#screen canvas').click();
  await page.keyboard.type('unseen');
  await page.locator('#watch').click();
  await page.locator('#screen canvas').focus();
  await page.keyboard.type('.');
  const after = await brightens(page, before);
  assert.ok(after < before + 100, `${before} to ${after}: what a watcher typed is there`);
  await page.locator('#cad').click();
  await page.locator('#scale').click();

  await ask(service.url, 'PUT', `/v1/nodes/${node}/states/console`, { enabled: false });
  await page.locator('#reason', { hasText: 'the console was switched off' }).waitFor();
  clean(shown);
  await page.locator('#connect').click();
  await page.locator('#reason', { hasText: 'is wrong or has ended' }).waitFor();
  // noVNC reports the refusal that was asked for.
  assert.deepEqual(shown.bad.filter((text) => !text.startsWith('Failed when connecting')), []);
  await shown.close();
});

test('an address without a screen says so', async () => {
  for (const query of ['', '?path=websockify', '?path=websockify%3Fnode%3Dx%26token%3Dy']) {
    const shown = await open(chrome, `${service.url}/ui/vnc${query}`);
    await shown.page.locator('#reason', { hasText: 'names no screen' }).waitFor();
    clean(shown);
    await shown.close();
  }
});

/** A boot sector that shows each key that is typed. */
function echo(folder) {
  const sector = Buffer.alloc(512);
  // Read a key; write it with the BIOS; again.
  Buffer.from('b400cd16b40ebb0f00cd10ebf3', 'hex').copy(sector);
  sector.writeUInt16LE(0xaa55, 510);
  const disk = Buffer.alloc(1 << 20);
  sector.copy(disk);
  const path = join(folder, 'echo.img');
  writeFileSync(path, disk);
  return path;
}

test('the screen of a QEMU machine is found by Redfish and typed on', { skip: existsSync(QEMU) ? false : 'QEMU is not installed' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'corten-screen-'));
  const arguments_ = `-accel tcg -m 16 -nic none -drive file=${echo(folder)},format=raw,if=ide,index=0`;
  const sim = await simulator('--machines', '1', '--qemu', QEMU, '--qemu-arg', arguments_);
  try {
    const node = await enrol(service.url, 'processed', {
      driver: 'redfish',
      console_interface: 'redfish-graphical',
      driver_info: {
        redfish_address: sim.machines[0].redfish_address,
        redfish_username: 'admin',
        redfish_password: 'password',
        vnc_password: 'password',
      },
    });
    const on = await ask(service.url, 'PUT', `/v1/nodes/${node}/states/power`, { target: 'power on' });
    assert.equal(on.status, 202, on.text);
    for (;;) {
      const { json } = await ask(service.url, 'GET', `/v1/nodes/${node}`);
      if (json.power_state === 'power on' && json.reservation === null) break;
      assert.equal(json.last_error, null);
      await ask(service.url, 'GET', `/corten/v1/events?node=${node}&wait=2`);
    }
    const shown = await open(chrome, await address(node));
    const { page } = shown;
    await connected(page);
    // The boot sector comes after what the BIOS says; until then keys are lost.
    let before = await lit(page);
    const end = Date.now() + PATIENCE_MS;
    for (let now = before; now <= before + 1500; now = await lit(page)) {
      if (Date.now() > end) throw new Error(`what is typed is not seen: ${before} and ${now} pixels`);
      await page.keyboard.type('wwwwwwwwwwwwwwwwwwww');
      await page.evaluate(() => new Promise(requestAnimationFrame));
      if (now < before) before = now;
    }
    clean(shown);
    await shown.close();
  } finally {
    await sim.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
