package io.stele.sidecar.postgresql.copy;

/**
 * The options of a COPY statement: format, separators and quoting of its rows. Immutable.
 *
 * @param format of the rows
 * @param delimiter between values; not of BINARY
 * @param nullText that stands for NULL; not of BINARY
 * @param header whether the first line has names; of CSV and TEXT
 * @param quote around values of CSV
 * @param escape before a quote inside quotes of CSV
 */
public record CopyOptions(
        Format format, char delimiter, String nullText, boolean header, char quote, char escape) {
    /** The formats of PostgreSQL. */
    public enum Format {
        TEXT,
        CSV,
        BINARY
    }

    public static final CopyOptions TEXT =
            new CopyOptions(Format.TEXT, '\t', "\\N", false, '"', '"');
    public static final CopyOptions CSV = new CopyOptions(Format.CSV, ',', "", false, '"', '"');
    public static final CopyOptions BINARY =
            new CopyOptions(Format.BINARY, ',', "", false, '"', '"');

    public CopyOptions withDelimiter(char newDelimiter) {
        return new CopyOptions(format, newDelimiter, nullText, header, quote, escape);
    }

    public CopyOptions withNull(String newNullText) {
        return new CopyOptions(format, delimiter, newNullText, header, quote, escape);
    }

    public CopyOptions withHeader(boolean newHeader) {
        return new CopyOptions(format, delimiter, nullText, newHeader, quote, escape);
    }

    public CopyOptions withQuote(char newQuote) {
        return new CopyOptions(
                format, delimiter, nullText, header, newQuote, escape == quote ? newQuote : escape);
    }

    public CopyOptions withEscape(char newEscape) {
        return new CopyOptions(format, delimiter, nullText, header, quote, newEscape);
    }
}
