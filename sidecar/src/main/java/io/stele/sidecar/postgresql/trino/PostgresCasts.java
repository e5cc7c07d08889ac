package io.stele.sidecar.postgresql.trino;

/** The text of {@link PostgresSyntax#translate} alone. Stateless. */
public final class PostgresCasts {
    private PostgresCasts() {}

    /**
     * The text in Trino's syntax.
     *
     * @param text without comments
     */
    public static String translate(String text) {
        return PostgresSyntax.translate(text).sql();
    }
}
