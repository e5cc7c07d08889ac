package io.stele.engine.shard.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The bytes of REFUSED records: whoever changes them makes a new record type. */
final class TestRefusalRecordFormat {
    private static final UUID WRITER = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    private static final String GOLDEN =
            "00112233445566778899aabbccddeeff"
                    + "0000000000000005"
                    // DUPLICATE_KEY
                    + "0000000d4455504c49434154455f4b4559"
                    // twice
                    + "000000057477696365";

    @Test
    void goldenBytes() {
        RefusalRecord refusal =
                RefusalRecord.of(WRITER, 5, new SteleException(ErrorCode.DUPLICATE_KEY, "twice"));
        assertThat(TestWriteRecordFormat.hex(refusal.encode())).isEqualTo(GOLDEN);
        assertThat(decode(GOLDEN)).isEqualTo(refusal);
    }

    @Test
    void aMessageIsCut() {
        RefusalRecord refusal =
                RefusalRecord.of(
                        WRITER, 5, new SteleException(ErrorCode.DUPLICATE_KEY, "x".repeat(70_000)));
        assertThat(refusal.message()).hasSizeLessThan(2_000).endsWith("...");
    }

    @Test
    void everyTruncationIsRefused() {
        for (int length = 0; length < GOLDEN.length(); length += 2) {
            String part = GOLDEN.substring(0, length);
            assertThatThrownBy(() -> decode(part))
                    .isInstanceOf(SteleException.class)
                    .hasMessageStartingWith("Damaged REFUSED record: expected");
        }
    }

    private static RefusalRecord decode(String hex) {
        return RefusalRecord.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }
}
