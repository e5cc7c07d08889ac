package io.stele.objectstore.retrieval;

/**
 * The list prices of S3 Standard in us-east-1 (November 2026), in dollars, with which costs are
 * estimated. Reads from the same region cost requests only, no bytes.
 */
public final class ListPrices {
    /** Of a GET request, also of a range: $0.0004 per 1,000. */
    public static final double GET = 0.0004 / 1_000;

    /** Of a PUT, POST or LIST request: $0.005 per 1,000. */
    public static final double PUT = 0.005 / 1_000;

    /** Of a GiB that is stored for a month, of the first 50 TiB. */
    public static final double GIB_MONTH = 0.023;

    private ListPrices() {}
}
