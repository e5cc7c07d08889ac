package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestPathRule {
    @ParameterizedTest
    @ValueSource(
            strings = {"p=a b/f", "100%/f", "\u4e2d\u6587", "\ud83d\ude00", "_x/.y/z:1", "..."})
    void lakesHaveAnyNames(String path) {
        assertThat(PathRule.ANY.check(path)).isEqualTo(path);
        assertThat(PathRule.ANY.checkPrefix(path + "/")).isEqualTo(path + "/");
        assertThatThrownBy(() -> PathRule.STELE.check(path))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/a",
                "a/",
                "a//b",
                ".",
                "a/../b",
                "..",
                "a/.",
                "a\nb",
                "a\u0000",
                "\ud83d",
                "\ude00a",
                "a\u007fb"
            })
    void nothingLeavesItsFolderOrHidesInALog(String path) {
        assertThatThrownBy(() -> PathRule.ANY.check(path))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesOfSteleAreStrict() {
        assertThat(PathRule.STELE.check("data/t/s/1.shard")).isEqualTo("data/t/s/1.shard");
        assertThat(PathRule.STELE.checkPrefix("")).isEmpty();
        assertThat(PathRule.ANY.checkPrefix("")).isEmpty();
        assertThatThrownBy(() -> PathRule.ANY.check("x".repeat(4097)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
