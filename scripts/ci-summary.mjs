// Adds up the results that the stages of .ci/run left in a folder, and prints the summary line.
// Files: JSON reports of Vitest, and {"passed": n, "failed": n} of the gates and stages.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node scripts/ci-summary.mjs <folder with results>');
  process.exit(2);
}

const total = { passed: 0, failed: 0 };
const failures = [];
for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()) {
  const counts = countsOf(name);
  total.passed += counts.passed;
  total.failed += counts.failed;
  console.log(`${name.replace(/\.json$/, '').padEnd(32)} ${counts.passed} passed, ${counts.failed} failed`);
}
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** A report that cannot be read, or in which nothing ran, counts as a failure. */
function countsOf(name) {
  try {
    const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    if (!('numTotalTests' in report)) return { passed: report.passed, failed: report.failed };
    failures.push(...report.testResults.flatMap(failedTests));
    const passed = report.numPassedTests;
    const failed = report.numFailedTests;
    // A file that fails to load counts no test.
    const unloaded = report.testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
    ).length;
    return { passed, failed: failed + unloaded + (passed + failed === 0 ? 1 : 0) };
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
}

/** The failed tests of a file with the first lines of their errors, so that the end of a log shows them. */
function failedTests(file) {
  const path = relative(process.cwd(), file.name);
  const failed = file.assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0) return file.status === 'failed' ? [`${path}\n${shortened(file.message)}`] : [];
  return failed.map((result) => `${path} > ${result.fullName}\n${shortened(result.failureMessages.join('\n'))}`);
}

function shortened(message) {
  const lines = message.split('\n').slice(0, 12);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}
