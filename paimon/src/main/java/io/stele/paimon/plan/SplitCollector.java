package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.handle.PaimonReaderSplit;
import io.stele.paimon.handle.SectionFile;
import io.stele.paimon.handle.SortedSection;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataOutputViewStreamWrapper;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a scan's splits, which assigns each section of Paimon's splits to the cheapest
 * correct reader. A file whose rows need no merge is read in parts; other sections are merged by
 * this plugin if it can, and otherwise read by Paimon's reader. Confined to one thread.
 */
final class SplitCollector {
    /**
     * A split of at least this many bytes has Trino's standard weight; smaller splits weigh less.
     */
    private static final double STANDARD_BYTES = 64 << 20;

    private static final double MIN_WEIGHT = 0.05;

    private final long splitBytes;
    private final NativeReading reading;
    private final List<ConnectorSplit> splits = new ArrayList<>();
    private long nativeFiles;
    private long mergedSplits;
    private long paimonSplits;
    private long rows;

    SplitCollector(long splitBytes, NativeReading reading) {
        this.splitBytes = splitBytes;
        this.reading = requireNonNull(reading, "reading is null");
    }

    void add(DataSplit split) {
        rows += split.rowCount();
        List<SplitSection> left = new ArrayList<>();
        Merged merged = new Merged(split);
        List<SplitSection> sections = reading.sections(split);
        for (SplitSection section : sections) {
            if (reading.reads(section.section())) {
                addFile(section.section().runs().get(0).get(0));
                nativeFiles++;
            } else if (reading.merges(section.section())) {
                merged.add(section.section());
            } else {
                left.add(section);
            }
        }
        merged.flush();
        if (sections.isEmpty() || !left.isEmpty()) {
            addMerge(left.size() == sections.size() ? split : part(split, left));
        }
    }

    private void addFile(SectionFile file) {
        long start = 0;
        do {
            long length = Math.min(splitBytes, file.size() - start);
            // A short rest is not worth a split
            if (file.size() - start - length < splitBytes / 4) {
                length = file.size() - start;
            }
            splits.add(
                    new PaimonFileSplit(
                            file.path(),
                            file.format(),
                            start,
                            length,
                            file.size(),
                            file.rowCount(),
                            file.schemaId(),
                            file.deletions(),
                            file.index(),
                            file.path(),
                            weight(length)));
            start += length;
        } while (start < file.size());
    }

    /**
     * Collects the sections of one split of Paimon that this plugin merges into splits of the
     * wanted size.
     */
    private final class Merged {
        private final DataSplit split;
        private final List<SortedSection> sections = new ArrayList<>();
        private long bytes;

        Merged(DataSplit split) {
            this.split = split;
        }

        void add(SortedSection section) {
            sections.add(section);
            bytes +=
                    section.runs().stream()
                            .flatMap(List::stream)
                            .mapToLong(SectionFile::size)
                            .sum();
            if (bytes >= splitBytes) {
                flush();
            }
        }

        void flush() {
            if (!sections.isEmpty()) {
                splits.add(new PaimonMergedSplit(sections, split.bucketPath(), weight(bytes)));
                mergedSplits++;
                sections.clear();
                bytes = 0;
            }
        }
    }

    private void addMerge(DataSplit split) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            split.serialize(new DataOutputViewStreamWrapper(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long size = split.dataFiles().stream().mapToLong(DataFileMeta::fileSize).sum();
        splits.add(new PaimonReaderSplit(bytes.toByteArray(), split.bucketPath(), weight(size)));
        paimonSplits++;
    }

    /** A copy of the split with the files of these sections only. */
    private static DataSplit part(DataSplit split, List<SplitSection> sections) {
        List<DataFileMeta> files = new ArrayList<>();
        sections.forEach(section -> files.addAll(section.files()));
        DataSplit.Builder part =
                DataSplit.builder()
                        .withSnapshot(split.snapshotId())
                        .withPartition(split.partition())
                        .withBucket(split.bucket())
                        .withTotalBuckets(split.totalBuckets())
                        .isStreaming(false)
                        .withDataFiles(files)
                        .rawConvertible(split.rawConvertible())
                        .withBucketPath(split.bucketPath());
        split.deletionFiles()
                .ifPresent(all -> part.withDataDeletionFiles(deletions(split, all, files)));
        return part.build();
    }

    private static List<@Nullable DeletionFile> deletions(
            DataSplit split, List<DeletionFile> all, List<DataFileMeta> files) {
        List<@Nullable DeletionFile> result = new ArrayList<>();
        for (DataFileMeta file : files) {
            result.add(all.get(split.dataFiles().indexOf(file)));
        }
        return result;
    }

    private static SplitWeight weight(long bytes) {
        return SplitWeight.fromProportion(Math.clamp(bytes / STANDARD_BYTES, MIN_WEIGHT, 1.0));
    }

    PlannedScan scan() {
        return new PlannedScan(splits, nativeFiles, mergedSplits, paimonSplits, rows);
    }
}
