package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/** Random components of file entries, each of which may be absent. Confined to one thread. */
final class FileEntryParts {
    private final SplittableRandom random;

    FileEntryParts(SplittableRandom random) {
        this.random = requireNonNull(random, "random is null");
    }

    String fileId(int number) {
        return switch (random.nextInt(4)) {
            case 0 -> new UUID(random.nextLong(), random.nextLong()).toString();
            case 1 -> new UUID(random.nextLong(), 5).toString().toUpperCase(Locale.ROOT);
            case 2 -> "1f-" + Integer.toHexString(number);
            default -> "\u00e4".repeat(1 + random.nextInt(200));
        };
    }

    String path(String fileId) {
        return switch (random.nextInt(3)) {
            case 0 -> "data/7/3/" + fileId + ".orc";
            case 1 -> fileId;
            default -> "elsewhere/file.orc";
        };
    }

    Optional<KeyIndexFile> keyIndex(String path) {
        String beside = WrittenFile.keyIndexPath(path);
        return switch (random.nextInt(4)) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(new KeyIndexFile(beside, 1 + number()));
            case 2 -> Optional.of(new KeyIndexFile(beside, 5_000, OptionalInt.of(17)));
            default -> Optional.of(new KeyIndexFile("apart/index", 1 + number()));
        };
    }

    Map<Integer, ColumnStats> stats() {
        Map<Integer, ColumnStats> stats = new TreeMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            byte[] min = bytes();
            stats.put(
                    1 + random.nextInt(1_000),
                    new ColumnStats(
                            maybe(min),
                            maybe(random.nextBoolean() ? min : above(min)),
                            random.nextInt(3) - 1L,
                            random.nextBoolean()));
        }
        return stats;
    }

    byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 300 : 12)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Bytes that come after, mostly with the same beginning. */
    byte[] above(byte[] bytes) {
        byte[] above = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(3));
        for (int i = random.nextInt(above.length); i < above.length; i++) {
            above[i] = (byte) 0xff;
        }
        return above;
    }

    <T> Optional<T> maybe(T value) {
        return random.nextBoolean() ? Optional.of(value) : Optional.empty();
    }

    OptionalLong maybeNumber() {
        return random.nextBoolean() ? OptionalLong.of(number()) : OptionalLong.empty();
    }

    OptionalInt maybeInteger() {
        return random.nextBoolean()
                ? OptionalInt.of(random.nextInt(Integer.MAX_VALUE))
                : OptionalInt.empty();
    }

    long number() {
        return random.nextLong() >>> (1 + random.nextInt(63));
    }
}
