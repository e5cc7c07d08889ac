package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.FileIndex;
import io.stele.paimon.handle.SectionFile;
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
import org.apache.paimon.io.DataFilePathFactory;
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
record SplitSection(SortedSection section, List<DataFileMeta> files) {
    SplitSection {
        requireNonNull(section, "section is null");
        files = List.copyOf(requireNonNull(files, "files is null"));
    }

    /**
     * The files of a split, each as a section of its own.
     *
     * @param usesIndexes whether scans look at Paimon's indexes of files
     */
    static List<SplitSection> single(DataSplit split, boolean usesIndexes) {
        Map<String, DeletionVectorLocation> deletions = deletions(split);
        return split.dataFiles().stream()
                .map(file -> of(split, List.of(SortedRun.fromSingle(file)), deletions, usesIndexes))
                .toList();
    }

    /**
     * The sections of a split, each of files whose ranges of keys overlap.
     *
     * @param keys Paimon's order of keys
     * @param usesIndexes whether scans look at Paimon's indexes of files
     */
    static List<SplitSection> overlapping(
            DataSplit split, Comparator<InternalRow> keys, boolean usesIndexes) {
        Map<String, DeletionVectorLocation> deletions = deletions(split);
        return new IntervalPartition(split.dataFiles(), keys)
                .partition().stream().map(runs -> of(split, runs, deletions, usesIndexes)).toList();
    }

    private static SplitSection of(
            DataSplit split,
            List<SortedRun> runs,
            Map<String, DeletionVectorLocation> deletions,
            boolean usesIndexes) {
        List<DataFileMeta> files = new ArrayList<>();
        List<List<SectionFile>> sorted = new ArrayList<>();
        for (SortedRun run : runs) {
            files.addAll(run.files());
            sorted.add(
                    run.files().stream()
                            .map(file -> file(split, file, deletions, usesIndexes))
                            .toList());
        }
        return new SplitSection(new SortedSection(sorted), files);
    }

    private static SectionFile file(
            DataSplit split,
            DataFileMeta file,
            Map<String, DeletionVectorLocation> deletions,
            boolean usesIndexes) {
        return new SectionFile(
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
                Optional.ofNullable(deletions.get(file.fileName())),
                usesIndexes ? index(split, file) : Optional.empty());
    }

    private static Optional<FileIndex> index(DataSplit split, DataFileMeta file) {
        byte[] embedded = file.embeddedIndex();
        if (embedded != null) {
            return Optional.of(new FileIndex(Optional.empty(), embedded));
        }
        String folder = file.externalPathDir().orElse(split.bucketPath());
        return file.extraFiles().stream()
                .filter(name -> name.endsWith(DataFilePathFactory.INDEX_PATH_SUFFIX))
                .findFirst()
                .map(name -> new FileIndex(Optional.of(folder + "/" + name), new byte[0]));
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
