package io.stele.engine.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ShardId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestShardNames {
    @ParameterizedTest
    @CsvSource({"0,0", "1,4095", "2147483647,2147483647"})
    void aShardComesBackFromItsName(int group, int index) {
        ShardId shard = new ShardId(group, index);
        assertThat(ShardNames.parse(shard.toString())).contains(shard);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "1",
                "1-",
                "-1",
                "1--1",
                "1-1-1",
                "x-1",
                "01-1",
                "2147483648-0",
                "0-2147483648",
                "99999999999-0"
            })
    void otherNamesAreNoShards(String name) {
        assertThat(ShardNames.parse(name)).isEmpty();
    }
}
