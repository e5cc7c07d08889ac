package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.SortedFile;
import io.stele.paimon.handle.SortedSection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.IntervalPartition;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;

/**
 * A section of one of Paimon's splits, as this plugin reads or merges it, with Paimon's metadata of
 * its files.
 *
 * @param files Paimon's metadata of the section's files
 */
record SectionFiles(SortedSection section, List<DataFileMeta> files) {
    SectionFiles {
        requireNonNull(section, "section is null");
        files = List.copyOf(requireNonNull(files, "files is null"));
    }

    /** The files of a split, each as a section of its own. */
    static List<SectionFiles> single(DataSplit split) {
        Map<String, DeletionVectorLocation> deletions = deletions(split);
        return split.dataFiles().stream()
                .map(file -> of(split, List.of(SortedRun.fromSingle(file)), deletions))
                .toList();
    }

    /**
     * The sections of a split, each of files whose ranges of keys overlap.
     *
     * @param keys Paimon's order of keys
     */
    static List<SectionFiles> overlapping(DataSplit split, Comparator<InternalRow> keys) {
        Map<String, DeletionVectorLocation> deletions = deletions(split);
        return new IntervalPartition(split.dataFiles(), keys)
                .partition().stream().map(runs -> of(split, runs, deletions)).toList();
    }

    private static SectionFiles of(
            DataSplit split, List<SortedRun> runs, Map<String, DeletionVectorLocation> deletions) {
        List<DataFileMeta> files = new ArrayList<>();
        List<List<SortedFile>> sorted = new ArrayList<>();
        for (SortedRun run : runs) {
            files.addAll(run.files());
            sorted.add(run.files().stream().map(file -> file(split, file, deletions)).toList());
        }
        return new SectionFiles(new SortedSection(sorted), files);
    }

    private static SortedFile file(
            DataSplit split, DataFileMeta file, Map<String, DeletionVectorLocation> deletions) {
        return new SortedFile(
                file.externalPath().orElse(split.bucketPath() + "/" + file.fileName()),
                file.fileFormat().toLowerCase(Locale.ROOT),
                file.fileSize(),
                file.rowCount(),
                file.schemaId(),
                file.level(),
                file.minSequenceNumber(),
                file.maxSequenceNumber(),
                // Old writers did not count deletions
                file.deleteRowCount().map(count -> count > 0).orElse(true),
                Optional.ofNullable(deletions.get(file.fileName())));
    }

    private static Map<String, DeletionVectorLocation> deletions(DataSplit split) {
        Map<String, DeletionVectorLocation> deletions = new HashMap<>();
        List<DeletionFile> all = split.deletionFiles().orElse(List.of());
        for (int i = 0; i < all.size(); i++) {
            DeletionFile file = all.get(i);
            if (file != null) {
                Long cardinality = file.cardinality();
                deletions.put(
                        split.dataFiles().get(i).fileName(),
                        new DeletionVectorLocation(
                                file.path(),
                                file.offset(),
                                file.length(),
                                cardinality == null ? -1 : cardinality));
            }
        }
        return deletions;
    }
}
