package io.stele.sidecar.postgresql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

final class TestLikePattern {
    @Test
    void patternsMeanWhatTheyMeanAsRegularExpressions() {
        Random random = new Random(5);
        for (int round = 0; round < 20_000; round++) {
            String text = text(random, "ab", 8);
            String pattern = text(random, "ab%_", 6);
            String regex = pattern.replace("%", ".*").replace("_", ".");
            assertThat(LikePattern.matches(text, pattern, false))
                    .as("'%s' LIKE '%s'", text, pattern)
                    .isEqualTo(Pattern.matches(regex, text));
        }
        assertThat(LikePattern.matches("100%", "100\\%", false)).isTrue();
        assertThat(LikePattern.matches("1000", "100\\%", false)).isFalse();
        assertThat(LikePattern.matches("\u00c9a", "\u00e9_", true)).isTrue();
    }

    private static String text(Random random, String letters, int maxLength) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(maxLength); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    @Test
    void manyWildcardsTakeNoLongTime() {
        Assertions.assertTimeout(
                Duration.ofSeconds(5),
                () ->
                        assertThat(
                                        LikePattern.matches(
                                                "a".repeat(10_000), "%a".repeat(50) + "b", false))
                                .isFalse());
    }
}
