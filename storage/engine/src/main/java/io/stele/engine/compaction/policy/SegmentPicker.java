package io.stele.engine.compaction.policy;

import io.stele.engine.manifest.FileEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The part of the column compaction policy that picks files whose ranges of the segment key
 * overlap. Where {@value ColumnCompactionPolicy#TIER_FILES} or more of similar size share a value,
 * a query for that value reads all of them; their compaction cuts them apart ({@link SegmentCuts}).
 * Pure.
 *
 * <p>Files that a compaction has cut at its size limit within one segment are not picked, nor are
 * files with a single value, which no cut divides. So compaction ends.
 */
final class SegmentPicker {
    private SegmentPicker() {}

    /**
     * A worker's file that was never cut; else files of similar size (a factor of four) that
     * contain the value that most of them share; empty if there are none.
     */
    static Optional<List<FileEntry>> pick(
            List<FileEntry> files, int columnId, long minSegmentBytes) {
        for (FileEntry file : files) {
            if (isUncut(file, columnId, minSegmentBytes)) {
                return Optional.of(List.of(file));
            }
        }
        Map<Integer, List<Spanned>> tiers = new TreeMap<>();
        for (FileEntry file : files) {
            if (file.level() < ColumnCompactionPolicy.FULL_LEVEL) {
                SegmentSpan.of(file, columnId)
                        .filter(span -> !span.isPoint())
                        .ifPresent(
                                span ->
                                        tiers.computeIfAbsent(
                                                        ColumnCompactionPolicy.tier(
                                                                file.sizeBytes()),
                                                        tier -> new ArrayList<>())
                                                .add(new Spanned(file, span)));
            }
        }
        for (List<Spanned> tier : tiers.values()) {
            List<FileEntry> deepest = deepest(tier);
            if (deepest.size() >= ColumnCompactionPolicy.TIER_FILES) {
                return Optional.of(
                        deepest.stream()
                                .sorted(Comparator.comparingLong(FileEntry::sizeBytes))
                                .limit(ColumnCompactionPolicy.MAX_INPUTS)
                                .toList());
            }
        }
        return Optional.empty();
    }

    /**
     * Whether a worker wrote the file, so that it was not cut, and it is large enough for two
     * segments.
     */
    private static boolean isUncut(FileEntry file, int columnId, long minSegmentBytes) {
        return file.ingestLsn().isPresent()
                && file.level() == 0
                && file.sizeBytes() >= 2 * minSegmentBytes
                && SegmentSpan.of(file, columnId).filter(span -> !span.isPoint()).isPresent();
    }

    private static List<FileEntry> deepest(List<Spanned> spans) {
        List<FileEntry> deepest = List.of();
        for (Spanned start : spans) {
            // The depth only grows where a span begins
            List<FileEntry> covering =
                    spans.stream()
                            .filter(other -> other.span.contains(start.span.low()))
                            .map(Spanned::file)
                            .toList();
            if (covering.size() > deepest.size()) {
                deepest = covering;
            }
        }
        return deepest;
    }

    private record Spanned(FileEntry file, SegmentSpan span) {}
}
