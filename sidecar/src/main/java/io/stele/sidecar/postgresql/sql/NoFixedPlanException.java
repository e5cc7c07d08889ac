package io.stele.sidecar.postgresql.sql;

/**
 * The refusal of a statement, probably valid, that has no fixed plan, so that only Trino can run
 * it. The message has the form "Expected ..., found ...".
 */
public final class NoFixedPlanException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param expected what a fixed plan needs
     * @param found what it has instead
     */
    public NoFixedPlanException(String expected, String found) {
        super("Expected %s, found %s".formatted(expected, found));
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
