package io.stele.sidecar.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class TestLikePattern {
    @Test
    void patternsMeanWhatTheyMeanAsRegularExpressions() {
        Random random = new Random(5);
        for (int round = 0; round < 20_000; round++) {
            String text = text(random, "ab", 8);
            String pattern = text(random, "ab%_", 6);
            String regex = pattern.replace("%", ".*").replace("_", ".");
            assertThat(LikePattern.of(pattern).matches(text))
                    .as("'%s' LIKE '%s'", text, pattern)
                    .isEqualTo(Pattern.matches(regex, text));
        }
        assertThat(LikePattern.of("\u00e9_", "\\", true).matches("\u00c9a")).isTrue();
        assertThat(LikePattern.of("_").matches("\ud83d\ude00")).as("one character").isTrue();
    }

    private static String text(Random random, String letters, int maxLength) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(maxLength); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    @Test
    void escapesTakeTheNextCharacterAsItIs() {
        assertThat(LikePattern.of("100\\%").matches("100%")).isTrue();
        assertThat(LikePattern.of("100\\%").matches("1000")).isFalse();
        assertThat(LikePattern.of("\\a\\\\").matches("a\\")).isTrue();
        assertThat(LikePattern.of("a!_b", "!", false).matches("a_b")).isTrue();
        assertThat(LikePattern.of("a!_b", "!", false).matches("axb")).isFalse();
        assertThat(LikePattern.of("\\%", "!", false).matches("\\x")).isTrue();
        assertThat(LikePattern.of("\\_", "", false).matches("\\x")).as("no escape").isTrue();
        assertThat(LikePattern.of("\\", "", false).matches("\\")).isTrue();
        assertThat(LikePattern.of("%%a", "%", false).matches("%a")).isTrue();
        assertThat(LikePattern.of("%%a", "%", false).matches("xa")).isFalse();
        assertThat(LikePattern.of("_%", "_", false).matches("%")).isTrue();
        LikePattern ignoring = LikePattern.of("xX%", "X", true);
        assertThat(ignoring.matches("X%")).as("ILIKE does not ignore the escape's case").isTrue();
        assertThat(ignoring.matches("Xx")).isFalse();
    }

    @Test
    void theLatestPatternIsCompiledOnce() {
        LatestPattern<LikePattern> patterns =
                new LatestPattern<>((text, escape) -> LikePattern.of(text, escape, true));
        LikePattern first = patterns.of("A%", "");
        assertThat(first.matches("ab")).isTrue();
        assertThat(patterns.of("A%", "")).isSameAs(first);
        assertThat(patterns.of("b%", "").matches("ab")).isFalse();
        assertThat(patterns.of("A%", "").matches("ab")).isTrue();
        assertThat(patterns.of("%%", "").matches("ab")).isTrue();
        assertThat(patterns.of("%%", "%").matches("ab")).as("another escape").isFalse();
    }

    /** The answers of PostgreSQL 15, which refuses such a pattern only when it comes to its end. */
    @Test
    void anEscapeAtTheEndIsRefused() {
        for (String pattern : new String[] {"a\\", "%\\", "_\\", "%b\\", "\\a\\"}) {
            assertRefused(() -> LikePattern.of(pattern).matches("abc"));
        }
        assertRefused(() -> LikePattern.of("a%!", "!", true).matches("abc"));
        assertThat(LikePattern.of("b\\").matches("abc")).isFalse();
        assertThat(LikePattern.of("a\\").matches("a")).isFalse();
        assertThat(LikePattern.of("\\").matches("")).isFalse();
        assertRefused(() -> LikePattern.of("a", "ab", false));
    }

    private static void assertRefused(ThrowingCallable match) {
        assertThatThrownBy(match)
                .isInstanceOfSatisfying(
                        PostgresException.class,
                        refused ->
                                assertThat(refused.state())
                                        .isEqualTo(SqlState.INVALID_ESCAPE_SEQUENCE));
        assertThat(SqlState.INVALID_ESCAPE_SEQUENCE.code()).isEqualTo("22025");
    }

    @Test
    void manyWildcardsTakeAtMostTheProductOfTheLengths() {
        AtomicLong steps = new AtomicLong();
        String text = "a".repeat(10_000);
        String pattern = "%a".repeat(50) + "b";
        assertThat(LikePattern.of(pattern).matches(text, steps::incrementAndGet)).isFalse();
        assertThat(steps).hasValueLessThanOrEqualTo((long) text.length() * pattern.length());
    }
}
