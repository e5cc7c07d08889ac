package io.stele.sidecar.postgresql.sql;

import static java.util.Objects.requireNonNull;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The compiled patterns of one LIKE or one match with a regular expression. It caches the latest,
 * because most have the same pattern for all rows. Thread-safe.
 */
public final class LatestPattern<P> {
    private final BiFunction<String, String, P> compiler;
    private volatile @Nullable Compiled<P> latest;

    private record Compiled<P>(String text, String escape, P pattern) {}

    /**
     * @param compiler of a text and its escape
     */
    public LatestPattern(BiFunction<String, String, P> compiler) {
        this.compiler = requireNonNull(compiler, "compiler is null");
    }

    /** The pattern of a text and its escape; throws what the compiler throws. */
    public P of(String text, String escape) {
        Compiled<P> known = latest;
        if (known == null || !known.text().equals(text) || !known.escape().equals(escape)) {
            known = new Compiled<>(text, escape, compiler.apply(text, escape));
            latest = known;
        }
        return known.pattern();
    }
}
