package io.stele.engine.row;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.TableId;
import io.stele.protocol.schema.XxHash64;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestProbeKeys {
    private static final byte[] ROW = {1};

    @Test
    void sortsTheKeysOfAllButAppends() {
        ProbeKeys keys = keys("b", "", "c", "a", "", "b");

        assertThat(keys.count()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            byte[] key = "abbc".substring(i, i + 1).getBytes(UTF_8);
            assertThat(keys.key(i)).isEqualTo(key);
            assertThat(keys.hash(i)).isEqualTo(XxHash64.hash(key, 0, key.length));
        }
    }

    @Test
    void boundsIncludeTheLowestAndTheHighestKeyOfAFile() {
        ProbeKeys keys = keys("b", "d", "d", "f");

        assertThat(range(keys, "a", "z")).isEqualTo("0 4");
        assertThat(range(keys, "b", "f")).isEqualTo("0 4");
        assertThat(range(keys, "c", "e")).isEqualTo("1 3");
        assertThat(range(keys, "d", "d")).isEqualTo("1 3");
        assertThat(range(keys, "e", "e")).isEqualTo("3 3");
        assertThat(range(keys, "g", "z")).isEqualTo("4 4");
        assertThat(keys.firstAtOrAfter(Optional.empty())).isZero();
        assertThat(keys.firstAfter(Optional.empty())).isEqualTo(4);
    }

    @Test
    void aBatchOfAppendsHasNone() {
        assertThat(keys("", "").count()).isZero();
    }

    private static String range(ProbeKeys keys, String lowest, String highest) {
        return keys.firstAtOrAfter(Optional.of(lowest.getBytes(UTF_8)))
                + " "
                + keys.firstAfter(Optional.of(highest.getBytes(UTF_8)));
    }

    /** A batch of changes of keys; an empty one stands for an appended row. */
    private static ProbeKeys keys(String... texts) {
        WriteBatchBuilder batch = new WriteBatchBuilder(new TableId(1), 1);
        for (int i = 0; i < texts.length; i++) {
            byte[] key = texts[i].getBytes(UTF_8);
            if (key.length == 0) {
                batch.append(ROW);
            } else if (i % 2 == 0) {
                batch.upsert(key, ROW);
            } else {
                batch.delete(key);
            }
        }
        return ProbeKeys.of(new WriteBatchReader(batch.toByteArray()));
    }
}
