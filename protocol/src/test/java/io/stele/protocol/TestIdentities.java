package io.stele.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.schema.SchemaJson;
import org.junit.jupiter.api.Test;

final class TestIdentities {
    private static final ObjectMapper MAPPER = SchemaJson.mapper();

    @Test
    void lsnIsMillisAndCounter() {
        Lsn lsn = Lsn.of(1_700_000_000_123L, 65_535);
        assertThat(lsn.millis()).isEqualTo(1_700_000_000_123L);
        assertThat(lsn.counter()).isEqualTo(65_535);
        assertThat(new Lsn(lsn.value() + 1))
                .isEqualTo(Lsn.of(1_700_000_000_124L, 0))
                .isGreaterThan(lsn);
        assertThat(Lsn.of(Lsn.MAX.millis(), 65_535)).isEqualTo(Lsn.MAX);
        assertThat(Lsn.of(0, 0)).isEqualTo(Lsn.MIN);
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertThatThrownBy(() -> new Lsn(-1)).hasMessageContaining("LSN >= 0, found -1");
        assertThatThrownBy(() -> Lsn.of(1L << 47, 0)).hasMessageContaining("47 bits");
        assertThatThrownBy(() -> Lsn.of(0, 65_536)).hasMessageContaining("16 bits");
        assertThatThrownBy(() -> new TableId(0)).hasMessageContaining("table id > 0, found 0");
        assertThatThrownBy(() -> new ShardId(0, -1)).hasMessageContaining("found 0 and -1");
    }

    @Test
    void jsonFormsArePlain() throws Exception {
        assertThat(MAPPER.writeValueAsString(new Lsn(77))).isEqualTo("77");
        assertThat(MAPPER.readValue("77", Lsn.class)).isEqualTo(new Lsn(77));
        assertThat(MAPPER.writeValueAsString(new TableId(5))).isEqualTo("5");
        assertThat(MAPPER.readValue("5", TableId.class)).isEqualTo(new TableId(5));
        ShardId shard = new ShardId(3, 4);
        assertThat(MAPPER.writeValueAsString(shard)).isEqualTo("{\"tableGroup\":3,\"index\":4}");
        assertThat(MAPPER.readValue(MAPPER.writeValueAsString(shard), ShardId.class))
                .isEqualTo(shard);
    }

    @Test
    void unknownErrorCodesAreInternal() {
        assertThat(ErrorCode.of("table_not_found")).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(ErrorCode.of("FROM_THE_FUTURE")).isEqualTo(ErrorCode.INTERNAL);
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.name())).isEqualTo(code);
        }
    }
}
