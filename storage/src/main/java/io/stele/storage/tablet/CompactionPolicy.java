package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.manifest.FileEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which files of a table are worth merging. Pure: the same files give the same answer.
 *
 * <p>Row files: level 0 holds flushes, which overlap, so a read may ask each; level 1 is one sorted
 * run. When level 0 has {@value #LEVEL0_FILES} files, all of it is merged with what it overlaps of
 * level 1.
 *
 * <p>Column files never need a merge for a right answer; few large files with few deleted rows scan
 * faster. A file with more than a fifth of its rows deleted is rewritten; {@value #TIER_FILES}
 * files of one partition and similar size (a factor of four) become one, so a row is rewritten a
 * number of times that is logarithmic in the table's size.
 */
public final class CompactionPolicy {
    static final int LEVEL0_FILES = 4;
    static final int TIER_FILES = 4;
    static final int MAX_INPUTS = 16;

    /**
     * The level of column files that a merge ended because they were large enough; such files are
     * not merged with others, however small compression made them.
     */
    static final int FULL_LEVEL = 2;

    private static final double DELETED_SHARE = 0.2;

    private final long targetBytes;

    public CompactionPolicy(long targetBytes) {
        this.targetBytes = targetBytes;
    }

    /** Row files to merge into level 1, or none. */
    Optional<List<FileEntry>> pickRows(List<FileEntry> files) {
        List<FileEntry> level0 = files.stream().filter(file -> file.level() == 0).toList();
        return level0.size() < LEVEL0_FILES
                ? Optional.empty()
                : Optional.of(withOverlaps(level0, files));
    }

    /** All row files, when they are more than one sorted run. */
    Optional<List<FileEntry>> pickAllRows(List<FileEntry> files) {
        List<FileEntry> level0 = files.stream().filter(file -> file.level() == 0).toList();
        return level0.isEmpty() ? Optional.empty() : Optional.of(withOverlaps(level0, files));
    }

    /** Column files of one partition to merge, or none. */
    Optional<List<Candidate>> pickColumns(List<Candidate> files) {
        for (Candidate file : files) {
            if (file.deletedRows() > DELETED_SHARE * file.entry().rowCount()) {
                return Optional.of(List.of(file));
            }
        }
        for (List<Candidate> partition : byPartition(files).values()) {
            Map<Integer, List<Candidate>> tiers = new LinkedHashMap<>();
            for (Candidate file : partition) {
                if (file.entry().sizeBytes() < targetBytes && file.entry().level() < FULL_LEVEL) {
                    tiers.computeIfAbsent(tier(file.entry().sizeBytes()), tier -> new ArrayList<>())
                            .add(file);
                }
            }
            for (List<Candidate> tier : tiers.values()) {
                if (tier.size() >= TIER_FILES) {
                    return Optional.of(smallest(tier));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Column files to merge when asked to: any two of a partition that are not of full size, and
     * any with deleted rows.
     */
    Optional<List<Candidate>> pickAllColumns(List<Candidate> files) {
        for (Candidate file : files) {
            if (file.deletedRows() > 0) {
                return Optional.of(List.of(file));
            }
        }
        for (List<Candidate> partition : byPartition(files).values()) {
            List<Candidate> small =
                    partition.stream()
                            .filter(file -> file.entry().sizeBytes() < targetBytes / 2)
                            .filter(file -> file.entry().level() < FULL_LEVEL)
                            .toList();
            if (small.size() > 1) {
                return Optional.of(smallest(small));
            }
        }
        return Optional.empty();
    }

    private static List<FileEntry> withOverlaps(List<FileEntry> level0, List<FileEntry> files) {
        byte[] min =
                level0.stream()
                        .map(file -> file.minKey().orElseThrow())
                        .min(Arrays::compareUnsigned)
                        .orElseThrow();
        byte[] max =
                level0.stream()
                        .map(file -> file.maxKey().orElseThrow())
                        .max(Arrays::compareUnsigned)
                        .orElseThrow();
        List<FileEntry> picked = new ArrayList<>(level0);
        for (FileEntry file : files) {
            boolean overlaps =
                    Arrays.compareUnsigned(file.minKey().orElseThrow(), max) <= 0
                            && Arrays.compareUnsigned(min, file.maxKey().orElseThrow()) <= 0;
            if (file.level() > 0 && overlaps) {
                picked.add(file);
            }
        }
        return picked;
    }

    private static List<Candidate> smallest(List<Candidate> files) {
        return files.stream()
                .sorted(Comparator.comparingLong(file -> file.entry().sizeBytes()))
                .limit(MAX_INPUTS)
                .toList();
    }

    private static Map<ByteBuffer, List<Candidate>> byPartition(List<Candidate> files) {
        Map<ByteBuffer, List<Candidate>> partitions = new LinkedHashMap<>();
        for (Candidate file : files) {
            ByteBuffer partition = ByteBuffer.wrap(file.entry().partition().orElse(new byte[0]));
            partitions.computeIfAbsent(partition, key -> new ArrayList<>()).add(file);
        }
        return partitions;
    }

    private static int tier(long sizeBytes) {
        return (Long.SIZE - Long.numberOfLeadingZeros(sizeBytes)) / 2; // powers of 4
    }

    /** A column file and how many of its rows no reader can see any more. */
    record Candidate(FileEntry entry, long deletedRows) {
        Candidate {
            requireNonNull(entry, "entry is null");
        }
    }
}
