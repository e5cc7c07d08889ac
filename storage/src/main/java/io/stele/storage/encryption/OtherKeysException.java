package io.stele.storage.encryption;

/**
 * The cause of a CORRUPT_DATA that is no damage of what is there: the master keys are not those
 * that it was written with, or there are none, or none were expected. What names a key has a
 * checksum of its own, so that damaged bytes are not taken for another key.
 */
public final class OtherKeysException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isPlain;

    OtherKeysException() {
        this("other master keys", false);
    }

    OtherKeysException(Throwable cause) {
        this();
        initCause(cause);
    }

    private OtherKeysException(String message, boolean isPlain) {
        super(message);
        this.isPlain = isPlain;
    }

    /** Plain where everything is to be encrypted; or so damaged that it does not look encrypted. */
    static OtherKeysException plain() {
        return new OtherKeysException("not encrypted", true);
    }

    /** Whether it may be damage after all: where other objects are as the keys say. */
    public boolean mayBeDamage() {
        return isPlain;
    }
}
