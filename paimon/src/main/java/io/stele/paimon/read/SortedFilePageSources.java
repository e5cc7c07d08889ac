package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonSortedSplit;
import io.stele.paimon.handle.SortedFile;
import io.stele.paimon.handle.SortedSection;
import io.stele.paimon.merge.MergeColumns;
import io.stele.paimon.merge.MergeRules;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;

/** A factory of page sources over data files whose rows are merged by key. Thread-safe. */
public final class SortedFilePageSources {
    private final DataFiles files;

    @Inject
    public SortedFilePageSources(DataFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * The wanted columns of the rows of a split, one for each key.
     *
     * @param table with the schema of the scan
     * @param schemas by which files were written
     * @param constraint stripes, row groups and pages outside it are skipped where that cannot make
     *     an obsolete row appear; rows outside it may be among the result
     * @param memory of the scan
     */
    public ConnectorPageSource open(
            FileStoreTable table,
            LongFunction<TableSchema> schemas,
            PaimonSortedSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> constraint,
            MemoryContext memory) {
        MergeRules rules =
                MergeRules.find(table)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "Expected a table whose rows this plugin merges,"
                                                        + " found "
                                                        + table.name()));
        TableSchema readSchema = MergeColumns.stored(table.schema(), rules);
        Map<Long, TableSchema> fileSchemas = new HashMap<>();
        return new SortedFilePageSource(
                split.sections(),
                rules,
                section -> {
                    MergeColumns merged =
                            MergeColumns.of(
                                    rules, columns, hasMixedSequences(section), hasKinds(section));
                    TupleDomain<PaimonColumnHandle> pruning =
                            merged.beforeMerge(
                                    constraint, table.schema(), section.runs().size() == 1);
                    List<RunRows> runs = new ArrayList<>();
                    for (List<SortedFile> run : section.runs()) {
                        runs.add(
                                new RunRows(
                                        run,
                                        file ->
                                                files.opening(
                                                        fileSchemas.computeIfAbsent(
                                                                file.schemaId(),
                                                                id ->
                                                                        MergeColumns.stored(
                                                                                schemas.apply(id),
                                                                                rules)),
                                                        readSchema,
                                                        file.whole(),
                                                        merged.columns(),
                                                        pruning)));
                    }
                    return new SortedFilePageSource.Opened(merged.layout(), runs);
                },
                memory);
    }

    /** Whether the ranges of sequence numbers of two files in different runs overlap. */
    private static boolean hasMixedSequences(SortedSection section) {
        List<List<SortedFile>> runs = section.runs();
        for (int left = 0; left < runs.size(); left++) {
            for (int right = left + 1; right < runs.size(); right++) {
                for (SortedFile file : runs.get(left)) {
                    for (SortedFile other : runs.get(right)) {
                        if (file.minSequence() <= other.maxSequence()
                                && other.minSequence() <= file.maxSequence()) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private static boolean hasKinds(SortedSection section) {
        return section.runs().stream().flatMap(List::stream).anyMatch(SortedFile::mayHaveDeletions);
    }
}
