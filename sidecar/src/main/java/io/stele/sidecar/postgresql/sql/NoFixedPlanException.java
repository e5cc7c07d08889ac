package io.stele.sidecar.postgresql.sql;

/**
 * A statement that is right, as far as it is understood, but not one of those that run here without
 * an optimizer. The message completes "Expected a statement ..., found".
 */
public final class NoFixedPlanException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param expected what would make it a fixed plan
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
