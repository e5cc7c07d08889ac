package io.stele.engine.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.SchemaJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/** Manifests of random files. */
final class ManifestFiles {
    static final ShardId SHARD = new ShardId(3, 1);
    static final UUID OWNER = new UUID(1, 2);
    static final OrcManifestBaseFormat BASES = OrcManifestBaseFormat.INSTANCE;

    private ManifestFiles() {}

    /** Of the shard, by the owner. */
    static ManifestStore manifests(ObjectStore store, int minChanges) {
        return new ManifestStore(store, SHARD, OWNER, BASES, minChanges);
    }

    static FileEntry file(SplittableRandom random, String id) {
        Optional<byte[]> min = Optional.empty();
        Optional<byte[]> max = Optional.empty();
        if (random.nextInt(5) > 0) {
            byte[] low = bytes(random, 1 + random.nextInt(3));
            min = Optional.of(low);
            max = Optional.of(Arrays.copyOf(low, 4)); // zeros at the end: above
        }
        Optional<byte[]> partition =
                random.nextInt(4) == 0 ? Optional.empty() : Optional.of(bytes(random, 1));
        Map<Integer, ColumnSketch> sketches =
                random.nextBoolean()
                        ? Map.of()
                        : Map.of(
                                1,
                                new ColumnSketch(bytes(random, 40), 7),
                                3,
                                new ColumnSketch(new byte[0], 0));
        return new FileEntry(
                        id,
                        new TableId(1 + random.nextInt(4)),
                        FileKind.COLUMN,
                        random.nextInt(3),
                        "data/" + id + ".orc",
                        1 + random.nextInt(1000),
                        1 + random.nextInt(1000),
                        new Lsn(5),
                        new Lsn(9 + random.nextInt(100)),
                        Optional.empty(),
                        OptionalLong.empty(),
                        1,
                        min,
                        max,
                        partition,
                        Map.of(
                                1,
                                new ColumnStats(
                                        Optional.of(bytes(random, 2)),
                                        Optional.of(new byte[] {(byte) 0xff}),
                                        3,
                                        false)),
                        Optional.empty(),
                        Optional.empty())
                .withSketches(sketches);
    }

    static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (random.nextInt(4) * 85);
        }
        return bytes;
    }

    static Manifest manifest(SplittableRandom random, int files) {
        ManifestEdit edit = Manifest.empty(SHARD).edit().epoch(4);
        for (int i = 0; i < files; i++) {
            edit.addFile(file(random, "f" + i));
        }
        return edit.build();
    }

    static void assertSame(Manifest found, Manifest expected) {
        assertThat(json(found)).isEqualTo(json(expected));
    }

    static FileEntry bounded(FileEntry file, SplittableRandom random) {
        Map<Integer, ColumnStats> stats = new TreeMap<>(file.columnStats());
        for (int column = 2; column <= 4; column++) {
            if (random.nextInt(8) > 0) {
                byte[] low = bytes(random, 1 + random.nextInt(2));
                byte[] high = bytes(random, 1 + random.nextInt(2));
                boolean inOrder = Arrays.compareUnsigned(low, high) <= 0;
                boolean known = random.nextInt(6) > 0;
                stats.put(
                        column,
                        new ColumnStats(
                                Optional.of(inOrder ? low : high).filter(min -> known),
                                Optional.of(inOrder ? high : low).filter(max -> known),
                                random.nextInt(3) - 1L,
                                random.nextInt(6) == 0));
            }
        }
        return file.withColumnStats(stats);
    }

    static ScanPredicate predicate(SplittableRandom random) {
        Map<Integer, ColumnDomain> domains = new TreeMap<>();
        for (int column = 2; column <= 5; column++) {
            if (random.nextInt(3) > 0) {
                continue;
            }
            List<ValueRange> ranges = new ArrayList<>();
            for (int at = 0; at < 250; at += 1 + random.nextInt(120)) {
                byte[] low = {(byte) at};
                byte[] high = {(byte) (at += random.nextInt(6))};
                switch (random.nextInt(12)) {
                    case 0 -> {
                        if (ranges.isEmpty()) {
                            ranges.add(
                                    random.nextBoolean()
                                            ? ValueRange.atMost(high)
                                            : ValueRange.lessThan(high));
                        }
                    }
                    case 1 -> {
                        ranges.add(
                                random.nextBoolean()
                                        ? ValueRange.atLeast(low)
                                        : ValueRange.greaterThan(low));
                        at = 250;
                    }
                    default ->
                            ranges.add(
                                    new ValueRange(
                                            Optional.of(low), true, Optional.of(high), true));
                }
            }
            domains.put(
                    column,
                    random.nextInt(10) == 0
                            ? ColumnDomain.notNull()
                            : new ColumnDomain(random.nextInt(6) == 0, ranges));
        }
        return new ScanPredicate(domains);
    }

    static FileEntry sketched(FileEntry file, SplittableRandom random) {
        Map<Integer, ColumnSketch> sketches = new TreeMap<>();
        for (int column = 1; column <= 2 + random.nextInt(2); column++) {
            SketchBuilder sketch = new SketchBuilder();
            for (int i = random.nextInt(50); i >= 0; i--) {
                sketch.addBytes(bytes(random, 3), 0, 3);
            }
            sketches.put(column, sketch.build());
        }
        return file.withSketches(sketches);
    }

    static List<String> json(List<FileEntry> files) {
        return files.stream().map(ManifestFiles::json).toList();
    }

    static String json(Object value) {
        try {
            return SchemaJson.mapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
