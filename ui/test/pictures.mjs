// The pictures of the documents, anew: node test/pictures.mjs PROGRAM

import { ask, browser, demo, open } from './browser/lab.mjs';

process.env.CORTEN = process.argv[2];
const FOLDER = new URL('../../docs/images/', import.meta.url).pathname;
const [service, chrome] = await Promise.all([demo('--nodes', '420', '--seed', '1'), browser()]);
const { page } = await open(chrome, `${service.url}/ui/`, { width: 1400, height: 900 });
await page.locator('.work-row').nth(3).waitFor();
await page.waitForTimeout(1_500);
await page.screenshot({ path: `${FOLDER}page-fleet.png`, fullPage: true });
const { json } = await ask(service.url, 'GET', '/corten/v1/failures');
const cause = json.causes.find((one) => one.code === 'checksum_differs') ?? json.causes[0];
await page.goto(`${service.url}/ui/nodes/${cause.nodes[0].name}`);
await page.locator('.live-live').waitFor();
await page.locator('.matter').waitFor();
await page.locator('.tab-panel .fact').first().waitFor();
await page.screenshot({ path: `${FOLDER}page-node.png` });
await chrome.close();
await service.stop();
