import { shellPath } from '../../node/shell-path';
import { visible } from '../../scripts/visible.mjs';
import type { Json } from '../../src/model/json';

/** The files of a run, by name. Null: it has none. */
export interface RunFiles {
  readonly reports: string | null;
  readonly sources: string | null;
  readonly estimates: string | null;
  /** What `simulate compare` writes. */
  readonly credits: string | null;
  readonly isExperiment: boolean;
}

interface Section {
  readonly text: string;
  /** Python, a cell each. */
  readonly code: readonly string[];
}

/** A notebook (nbformat 4.5) that reads a run's files and shows what is in them. */
export const notebookOf = (title: string, version: string, files: RunFiles): Json => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
  cells: sectionsOf(title, version, files)
    .flatMap(({ text, code }) => [{ text }, ...code.map((one) => ({ code: one }))])
    .map((cell, index) => ({
      id: `cell-${index}`,
      metadata: {},
      ...('text' in cell
        ? { cell_type: 'markdown', source: cell.text }
        : { cell_type: 'code', source: cell.code, execution_count: null, outputs: [] }),
    })),
});

function sectionsOf(
  title: string,
  version: string,
  { reports, sources, estimates, credits, isExperiment }: RunFiles,
): readonly Section[] {
  return [
    {
      text: `# ${markdown(title)}\n\nWritten by \`cointoss notebook\`, version ${version}. It needs pandas and matplotlib. \`cointoss.py\` beside it reads the files.`,
      code: ['import matplotlib.pyplot as plt\nimport pandas as pd\n\nimport cointoss'],
    },
    ...(sources === null ? [] : [sourcesSection(sources)]),
    ...(reports === null ? [] : [reportsSection(reports)]),
    ...(reports === null || sources === null ? [] : [bothSection(reports, sources)]),
    ...(estimates === null ? [] : [estimatesSection(estimates)]),
    ...(credits === null ? [] : [creditsSection(credits)]),
    ...(isExperiment ? [experimentSection] : []),
  ];
}

const sourcesSection = (file: string): Section => ({
  text: '## Sources\n\nEvery ad that was registered, whether it reported or not.',
  code: [
    `sources = cointoss.read_sources(${python(file)})\nsources.head()`,
    'sources.groupby(["source_type", "epsilon"], dropna=False).size().rename("sources").to_frame()',
  ],
});

const reportsSection = (file: string): Section => ({
  text: '## Reports\n\nThese counts contain noise: many reports are fake.',
  code: [
    `reports = cointoss.read_reports(${python(file)})\nreports.head()`,
    `counts = reports.groupby(["source_type", "trigger_data"], dropna=False).size().rename("reports").to_frame()\ncounts`,
    `by_day = reports.set_index("scheduled_report_time").resample("D").size()
by_day.plot(xlabel="due", ylabel="reports a day")
plt.show()`,
  ],
});

const bothSection = (reports: string, sources: string): Section => ({
  text: `## Sources with their reports\n\nFor estimates without bias, with intervals, run\n\n    npx cointoss estimate --reports ${shellPath(reports)} --sources ${shellPath(sources)} --output estimates.csv\n\nand write the notebook again.`,
  code: [
    `of_source = reports.groupby(["source_event_id", "reporting_origin"]).size().rename("reports")
joined = sources.join(of_source, on=["source_event_id", "reporting_origin"]).fillna({"reports": 0})
joined.groupby("source_type")["reports"].value_counts().rename("sources").to_frame()`,
  ],
});

const estimatesSection = (file: string): Section => ({
  text: '## Estimates\n\nEach group over all configurations. `sources` are those whose reports count conversions, `all_sources` are all. A rank is the range of places that noise and chance leave open; `unranked` says why a group has none. Rows with a `problem` come first. They have no estimate. `mismatch`: the reports cannot come from the stated noise. `lost-reports`: nothing makes up for lost reports. `shortfall`: reports or sources are missing, so `unbiased` is too low. `unjoined`: no report fits a source. `too-few-sources`: any number is possible. The figure leaves out groups of which only some sources count conversions.',
  code: [
    `estimates = cointoss.read_estimates(${python(file)})
groups = estimates.attrs["groups"]
estimates[estimates["problem"].notna() & (estimates["quantity"] == "conversions")]`,
    `together = estimates[estimates["configuration"].isna()]
conversions = together[together["quantity"] == "conversions"].sort_values(["rank_worst", "rank_best"])
shown = ["estimate", "low", "high", "sources", "all_sources", "rank_best", "rank_worst", "unranked"]
conversions[[*groups, *shown]]`,
    `rates = together[together["quantity"] == "conversion-rate"].sort_values(["rank_worst", "rank_best"])
rates = rates[(rates["sources"] == rates["all_sources"]) & rates["problem"].isna()]
rates = rates.head(30).reset_index(drop=True)
names = [" ".join(row.dropna()) or "all" for _, row in rates[groups].iterrows()]
figure, axes = plt.subplots(figsize=(8, 1 + 0.3 * len(rates)))
for is_ranked, color in ((True, "tab:blue"), (False, "tab:gray")):
    rows = rates[rates["rank_best"].notna() == is_ranked]
    axes.hlines(rows.index, rows["low"], rows["high"], color=color)
    axes.plot(rows["estimate"], rows.index, "o", color=color, label="ranked" if is_ranked else "not comparable")
axes.set_yticks(rates.index, names)
axes.set(xlabel="share of sources with a conversion")
axes.legend()
axes.invert_yaxis()
plt.show()`,
  ],
});

const creditsSection = (file: string): Section => ({
  text: '## Credits\n\nHow many conversions each rule and each learned model credits a channel with, and all channels together. The columns with `reports` know only the noisy reports; `±` is the standard error of their noise.',
  code: [
    `credits = cointoss.read_credits(${python(file)})\ncredits`,
    `models = [name for name in credits if not name.endswith(" ±")]
channels = credits[models].iloc[:-1].head(30)
channels.plot.barh(xlabel="conversions", figsize=(8, 1 + 0.2 * channels.size))
plt.gca().invert_yaxis()
plt.show()`,
  ],
});

const experimentSection: Section = {
  text: '## The experiment\n\nThe settings that vary, and what each combination costs.',
  code: [
    `results = cointoss.read_experiment(".")
settings = list(results.columns[1 : results.columns.get_loc("measure")])
whole = results[results["group"].isna() & (results["what"] == "")]
conversions = whole[whole["quantity"] == "conversions"]
conversions.pivot_table(index=["cell", *settings, "level"], columns="measure", values="value", sort=False)`,
    `errors = conversions[conversions["measure"] == "relative_rmse"]
for level, rows in errors.groupby("level", dropna=False):
    plt.errorbar(rows["cell"], rows["value"], yerr=rows["standard_error"], fmt="o", label=str(level))
plt.xticks(sorted(errors["cell"].unique()))
plt.xlabel("cell")
plt.ylabel("error of the mean group, percent")
plt.legend(title="level")
plt.show()`,
  ],
};

/** A text on one line of Markdown, without markup. */
const markdown = (text: string): string => visible(text).replace(/[\\`*_{}[\]<>#&|!~$]/g, String.raw`\$&`);

/** A text as Python writes it; JSON is the same. */
const python = (text: string): string => JSON.stringify(text);
