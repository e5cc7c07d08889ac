package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.write;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Logs whose records are encrypted; what crashes do to them is in LogSimulation. */
final class TestEncryptedLog {
    private static final ShardId SHARD = new ShardId(1, 2);

    private final InMemoryLogFiles files = LogFixture.files();

    private LogFiles encrypted(String... keys) {
        return new EncryptedLogFiles(files, TestKeys.encryption(keys));
    }

    private static void append(LogFiles to, String... texts) throws IOException {
        NodeLog log = LogFixture.unthreaded(to);
        for (String text : texts) {
            write(log, SHARD, text);
            commitAll(log);
        }
        log.close();
    }

    private static List<String> texts(LogFiles of) throws IOException {
        return read(of).stream().map(Read::text).toList();
    }

    private String stored() throws IOException {
        StringBuilder all = new StringBuilder();
        for (long segment : files.segments()) {
            all.append(new String(files.bytes(segment), ISO_8859_1));
        }
        return all.toString();
    }

    @Test
    void recordsComeBackAndAreNowhereToBeSeen() throws IOException {
        String[] written =
                IntStream.range(0, 200)
                        .mapToObj(i -> "secret " + i + "x".repeat(i))
                        .toArray(String[]::new);
        append(encrypted("a"), written);
        assertThat(files.segments()).hasSizeGreaterThan(5);
        assertThat(texts(encrypted("a"))).containsExactly(written);
        assertThat(stored()).doesNotContain("secret").doesNotContain("xxxx");
    }

    @Test
    void itIsSwitchedOnAndKeysAreRotated() throws IOException {
        append(files, "plain");
        assertThat(stored()).contains("plain");
        append(encrypted("a"), "under a");
        append(encrypted("b", "a"), "under b");
        assertThat(texts(encrypted("b", "a"))).containsExactly("plain", "under a", "under b");
        assertThat(stored()).doesNotContain("under");
        assertThatThrownBy(() -> texts(encrypted("b")))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("master key 'a', found only [b]")
                .hasMessageContaining("2 at offset 36");
        assertThatThrownBy(() -> texts(files))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("master key 'a', found none");
        LogFiles strict =
                new EncryptedLogFiles(
                        files, Encryption.of(TestKeys.of("b", "a"), new Random(1), true));
        assertThatThrownBy(() -> texts(strict))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("refuse-plain")
                .hasMessageContaining("1 at offset 36");
    }

    /** Of what a checksum would let pass: whoever can write can compute checksums. */
    @Test
    void groupsFitTheirPlaceOnly() throws IOException {
        append(encrypted("a"), "one", "two");
        InMemoryLogFiles other = LogFixture.files();
        append(
                new EncryptedLogFiles(other, Encryption.of(TestKeys.of("a"), new Random(2), false)),
                "uno",
                "due");
        byte[] good = files.bytes(1);
        assertThat(other.bytes(1)).hasSameSizeAs(good).isNotEqualTo(good);
        int groups = WalFormat.SEGMENT_HEADER_BYTES + WalFormat.SEGMENT_KEY_BYTES;

        // Groups of another log under the key of this one; their headers and checksums are right
        byte[] mixed = good.clone();
        System.arraycopy(other.bytes(1), groups, mixed, groups, good.length - groups);
        files.replace(1, mixed);
        refused("group 1");

        // A key of another segment
        byte[] moved = good.clone();
        System.arraycopy(segmentTwo(), 36, moved, 36, WalFormat.SEGMENT_KEY_BYTES);
        files.replace(1, moved);
        refused("are from elsewhere");

        byte[] damaged = good.clone();
        damaged[40] ^= 1;
        files.replace(1, damaged);
        refused("of segment key");

        files.replace(1, good);
        assertThat(texts(encrypted("a"))).containsExactly("one", "two");
    }

    private static byte[] segmentTwo() throws IOException {
        InMemoryLogFiles two = LogFixture.files();
        LogFiles encrypted = new EncryptedLogFiles(two, TestKeys.encryption("a"));
        append(encrypted, "in segment 1");
        append(encrypted, "in segment 2");
        return two.bytes(2);
    }

    private void refused(String message) {
        assertThatThrownBy(() -> texts(encrypted("a")))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("xpected")
                .hasMessageContaining("found")
                .hasMessageContaining(message)
                .hasMessageContaining("offset");
    }

    /** A crash may leave any part of the file's first group. */
    @Test
    void aTornBeginningIsCut() throws IOException {
        append(encrypted("a"), "one");
        append(encrypted("a"), "two");
        byte[] good = files.bytes(2);
        for (int length = 0; length < good.length; length++) {
            files.replace(2, Arrays.copyOf(good, length));
            assertThat(texts(encrypted("a"))).containsExactly("one");
        }
    }

    /** The bytes of version 2: whoever changes them makes a version 3 that still reads these. */
    @Test
    void goldenSegment() throws IOException {
        append(encrypted("k1"), "golden");
        String expected =
                "5354454c4557414c0000000200000000000000000000000100000000000000019d4eada4"
                        + "026b310000000000000000000000000000000000000000000000000000000000d5d9bef7"
                        + "6808f3b572e59001fc36c230cdbc70a1bd9ea60ce32f1504e2a99c0f587d3b24d391ff5f"
                        + "9c3897b225a5b118e7c8272308c534cb7391f0fdd4a719d1534752500100000000000000"
                        + "000000010000000000000001000000840000003b00000001612c16760226cfc50000001b"
                        + "94514813d90ce0044f4243d1ae53d20c110f4553dc39d0f1845e1ae056706448c491bf84"
                        + "61573af7eaca5f000000000000000157e1e5d7";
        assertThat(HexFormat.of().formatHex(files.bytes(1))).isEqualTo(expected);
        files.replace(1, HexFormat.of().parseHex(expected));
        assertThat(texts(encrypted("k1"))).containsExactly("golden");
    }
}
