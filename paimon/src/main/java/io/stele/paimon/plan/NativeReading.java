package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.SectionFile;
import io.stele.paimon.handle.SortedSection;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.merge.MergeColumns;
import io.stele.paimon.merge.MergeRules;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.type.PaimonTypes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.table.AppendOnlyFileStoreTable;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;
import org.apache.paimon.table.source.DataSplit;

/**
 * The choice, while a scan is planned, of the files that this plugin's own readers read and merge;
 * Paimon's reader reads the rest. Not thread-safe; may read schemas from the store.
 */
final class NativeReading {
    /** More inputs would take more memory than Paimon's reader, which has one row of each. */
    private static final int MAX_RUNS = 64;

    private final FileStoreTable table;
    private final TableSchemas schemas;
    private final boolean isPossible;
    private final boolean usesIndexes;
    private final List<PaimonColumnHandle> columns;
    private final Optional<MergeRules> rules;
    private final Map<Kind, Boolean> known = new HashMap<>();
    private final Map<Kind, Boolean> knownMerges = new HashMap<>();

    private record Kind(String format, long schemaId) {}

    NativeReading(FileStoreTable table, TableSchemas schemas) {
        this.table = requireNonNull(table, "table is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        // Files of a table with data evolution have some of the columns only
        this.isPossible =
                (table instanceof AppendOnlyFileStoreTable
                                || table instanceof PrimaryKeyFileStoreTable)
                        && !table.coreOptions().dataEvolutionEnabled();
        this.usesIndexes = table.coreOptions().fileIndexReadEnabled();
        this.rules = isPossible ? MergeRules.find(table) : Optional.empty();
        // All columns, since the planner does not know which of them a query reads
        this.columns = allColumns(table);
    }

    private static List<PaimonColumnHandle> allColumns(FileStoreTable table) {
        return table.rowType().getFields().stream()
                .flatMap(
                        field ->
                                PaimonTypes.find(field.type()).stream()
                                        .map(
                                                type ->
                                                        new PaimonColumnHandle(
                                                                field.id(), field.name(), type)))
                .toList();
    }

    /**
     * The parts of a split that can each be read alone; empty: Paimon's reader must read the split.
     */
    List<SplitSection> sections(DataSplit split) {
        if (!isPossible || split.isStreaming()) {
            return List.of();
        }
        if (split.rawConvertible()) {
            return SplitSection.single(split, usesIndexes);
        }
        return table instanceof PrimaryKeyFileStoreTable keyed && split.bucket() >= 0
                ? SplitSection.overlapping(split, keyed.store().newKeyComparator(), usesIndexes)
                : List.of();
    }

    /** Whether a section is one file whose rows need no merge and which this plugin can read. */
    boolean reads(SortedSection section) {
        if (section.runs().size() > 1 || section.runs().get(0).size() > 1) {
            return false;
        }
        SectionFile file = section.runs().get(0).get(0);
        boolean hasDeletions = table instanceof PrimaryKeyFileStoreTable && file.mayHaveDeletions();
        return !hasDeletions
                && known.computeIfAbsent(
                        new Kind(file.format(), file.schemaId()),
                        kind ->
                                RawFilePageSources.canRead(
                                        kind.format(),
                                        schemas.schema(table, kind.schemaId()),
                                        table.schema(),
                                        columns));
    }

    /** Whether this plugin merges the rows of a section. */
    boolean merges(SortedSection section) {
        return rules.isPresent()
                && section.runs().size() <= MAX_RUNS
                && section.runs().stream()
                        .flatMap(List::stream)
                        .allMatch(file -> merges(rules.get(), file));
    }

    private boolean merges(MergeRules merge, SectionFile file) {
        return knownMerges.computeIfAbsent(
                new Kind(file.format(), file.schemaId()),
                kind ->
                        RawFilePageSources.canRead(
                                kind.format(),
                                MergeColumns.stored(schemas.schema(table, kind.schemaId()), merge),
                                MergeColumns.stored(table.schema(), merge),
                                MergeColumns.of(merge, columns, true, true).columns()));
    }
}
