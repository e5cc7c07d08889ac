package io.stele.engine.compaction.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestSegments {
    private static final ValueCodec BIGINT = ValueCodec.of(ScalarType.BIGINT);
    private static final int TIME = 1;
    private static final long TARGET = 8_000;
    private static final TableSchema TABLE =
            TableSchema.builder("s", "t")
                    .columns(List.of(new ColumnSchema(TIME, "time", ScalarType.BIGINT)))
                    .build()
                    .withOptions(TableOptions.NONE.withSegmentKey(List.of(TIME)));

    private int nextFile;

    @Test
    void inputsAreDividedIntoEqualParts() {
        SegmentCuts cuts =
                SegmentCuts.of(
                        TABLE,
                        List.of(file(0, 0, 999, 3_000), file(0, 1_000, 1_999, 1_000)),
                        TARGET);
        assertThat(cuts.segmentCount()).isEqualTo(4);
        List<Integer> segments = new ArrayList<>();
        for (long time : new long[] {-5, 0, 300, 400, 600, 700, 900, 1_100, 1_999, 5_000}) {
            segments.add(segment(cuts, time));
        }
        assertThat(segments).containsExactly(0, 0, 0, 1, 1, 2, 2, 3, 3, 3);
        assertThat(segmentOfNull(cuts)).isZero();
    }

    @Test
    void nothingIsCutWithoutReason() {
        assertThat(SegmentCuts.of(TABLE, List.of(file(0, 0, 99, 1_900)), TARGET).segmentCount())
                .as("too small")
                .isOne();
        assertThat(SegmentCuts.of(TABLE, List.of(file(0, 7, 7, 90_000)), TARGET).segmentCount())
                .as("one value")
                .isOne();
        TableSchema plain = TABLE.withOptions(TableOptions.NONE);
        assertThat(SegmentCuts.of(plain, List.of(file(0, 0, 99, 90_000)), TARGET).segmentCount())
                .as("no segment key")
                .isOne();
    }

    @Test
    void filesThatShareAValueArePicked() {
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            files.add(file(0, i * 10L, i * 10L + 9, 100));
        }
        assertThat(pick(files)).as("side by side").isEmpty();
        for (int i = 0; i < 3; i++) {
            files.add(file(0, 25, 29, 100));
        }
        assertThat(pick(files).orElseThrow())
                .containsExactlyInAnyOrderElementsOf(
                        List.of(files.get(2), files.get(8), files.get(9), files.get(10)));
        List<FileEntry> full = new ArrayList<>();
        List<FileEntry> points = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            full.add(file(ColumnCompactionPolicy.FULL_LEVEL, 0, 9, 100));
            points.add(file(0, 5, 5, 100));
        }
        assertThat(pick(full)).as("cut by size").isEmpty();
        assertThat(pick(points)).as("one value").isEmpty();
    }

    /**
     * Rows of random times in flushes of one size: compaction must end, with little overlap left.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void mergingEnds(long seed) {
        Random random = new Random(seed);
        List<FileEntry> files = new ArrayList<>();
        long merged = 0;
        long written = 0;
        for (int flush = 0; flush < 300; flush++) {
            long low = random.nextInt(1_000);
            files.add(file(0, low, low + 1 + random.nextInt(1_000_000), 500));
            written += 500;
            int merges = 0;
            while (true) {
                Optional<List<FileEntry>> picked = pick(files);
                if (picked.isEmpty()) {
                    break;
                }
                assertThat(merges++)
                        .as("merges after flush %s, seed %s", flush, seed)
                        .isLessThan(100);
                merged += picked.get().stream().mapToLong(FileEntry::sizeBytes).sum();
                files.removeAll(picked.get());
                files.addAll(merge(picked.get()));
            }
        }
        assertThat(deepest(files)).as("files a query for one time reads").isLessThan(15);
        assertThat(files).as("files").hasSizeGreaterThan(60);
        assertThat((double) merged / written).as("write amplification").isLessThan(15);
    }

    private static Optional<List<FileEntry>> pick(List<FileEntry> files) {
        return SegmentPicker.pick(files, TIME, SegmentCuts.minSegmentBytes(TARGET));
    }

    /** What a compaction of evenly spread rows gives. */
    private List<FileEntry> merge(List<FileEntry> inputs) {
        List<SegmentSpan> spans =
                inputs.stream().map(file -> SegmentSpan.of(file, TIME).orElseThrow()).toList();
        long[] cuts = SegmentCuts.cuts(spans, SegmentCuts.minSegmentBytes(TARGET));
        long low = spans.stream().mapToLong(SegmentSpan::low).min().orElseThrow();
        long high = spans.stream().mapToLong(SegmentSpan::high).max().orElseThrow();
        List<FileEntry> outputs = new ArrayList<>();
        for (int i = 0; i <= cuts.length; i++) {
            long from = i == 0 ? low : cuts[i - 1];
            long to = i == cuts.length ? high + 1 : cuts[i];
            double bytes = 0;
            for (SegmentSpan span : spans) {
                bytes += span.bytesBelow(to) - span.bytesBelow(from);
            }
            int level = bytes >= TARGET ? ColumnCompactionPolicy.FULL_LEVEL : 1;
            outputs.add(
                    file(level, from - Long.MIN_VALUE, to - 1 - Long.MIN_VALUE, (long) bytes + 1));
        }
        return outputs;
    }

    private static int deepest(List<FileEntry> files) {
        int deepest = 0;
        for (FileEntry file : files) {
            SegmentSpan span = SegmentSpan.of(file, TIME).orElseThrow();
            int depth = 0;
            for (FileEntry other : files) {
                if (SegmentSpan.of(other, TIME).orElseThrow().contains(span.low())) {
                    depth++;
                }
            }
            deepest = Math.max(deepest, depth);
        }
        return deepest;
    }

    private static int segment(SegmentCuts cuts, long time) {
        RowLayout layout = RowLayout.of(TABLE.columns());
        RowEncoder row = new RowEncoder(layout);
        row.setLong(0, time);
        return cuts.segment(new BinaryRow(layout).wrap(row.finishToArray()));
    }

    private static int segmentOfNull(SegmentCuts cuts) {
        RowLayout layout = RowLayout.of(TABLE.columns());
        return cuts.segment(new BinaryRow(layout).wrap(new RowEncoder(layout).finishToArray()));
    }

    private FileEntry file(int level, long minTime, long maxTime, long sizeBytes) {
        String id = "f" + nextFile++;
        ColumnStats stats =
                new ColumnStats(
                        Optional.of(BIGINT.encodeLong(minTime)),
                        Optional.of(BIGINT.encodeLong(maxTime)),
                        0,
                        false);
        return new FileEntry(
                id,
                TABLE.id(),
                FileKind.COLUMN,
                level,
                "data/" + id,
                sizeBytes,
                100,
                new Lsn(1),
                new Lsn(2),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(TIME, stats),
                Optional.empty(),
                Optional.empty());
    }
}
