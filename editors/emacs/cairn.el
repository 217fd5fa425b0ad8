;;; cairn.el --- Modes for the languages of the model checker Cairn  -*- lexical-binding: t; -*-

;; Emacs 29 or later, which has eglot: put this file in the load path and
;;
;;     (require 'cairn)
;;     (dolist (hook '(cairn-milestones-mode-hook cairn-fiacre-mode-hook cairn-cdl-mode-hook
;;                     cairn-xgdl-mode-hook cairn-xta-mode-hook))
;;       (add-hook hook #'eglot-ensure))
;;
;; The program `cairn' must be in the path, or be named in `cairn-program'.

;;; Code:

(defgroup cairn nil "The model checker Cairn." :group 'languages)

(defcustom cairn-program "cairn" "The program." :type 'string)

(defvar cairn-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "w" table)
    table)
  "Comments are those of C, in all these languages.")

(defmacro cairn-define-mode (name title extension keywords)
  "Define a major mode NAME, shown as TITLE, for files with EXTENSION and these KEYWORDS."
  `(progn
     (define-derived-mode ,name prog-mode ,title
       :syntax-table cairn-syntax-table
       (setq-local comment-start "// " comment-end "")
       (setq-local font-lock-defaults
                   '(((,(regexp-opt keywords 'words) . font-lock-keyword-face)))))
     (add-to-list 'auto-mode-alist '(,(concat "\\." extension "\\'") . ,name))))

(cairn-define-mode cairn-milestones-mode "Milestones" "mil"
  ("ACTIONS" "ACTION" "VARIABLES" "VARIABLE" "LOCAL" "END" "MAIN" "GLOBAL" "PROC" "CASE"
   "SYNC" "CTL" "LTL" "CONSTS" "CONST" "LOCATIONS" "LOCATION" "INVARIANTS" "INVARIANT"
   "hidden" "HIDDEN" "and" "or" "not" "mod" "true" "false" "self" "pc"))

(cairn-define-mode cairn-fiacre-mode "Fiacre" "fcr"
  ("assert" "channel" "component" "const" "extern" "function" "port" "process"
   "property" "states" "type" "var" "begin" "case" "do" "else" "elsif" "end" "foreach"
   "from" "if" "init" "is" "loop" "null" "of" "on" "par" "priority" "return" "select"
   "then" "to" "unless" "wait" "where" "while" "array" "bool" "int" "nat" "none" "queue"
   "record" "sync" "union" "in" "out" "read" "write" "any" "append" "dequeue" "empty"
   "enqueue" "first" "full" "length" "and" "not" "or" "ltl" "ctl" "invariant" "present"
   "absent" "always" "leadsto" "precedes" "within" "lasting" "before" "after" "between"
   "until" "infinitelyoften" "deadlockfree" "mortal" "live" "true" "false"))

(cairn-define-mode cairn-cdl-mode "CDL" "cdl"
  ("event" "predicate" "activity" "property" "restriction" "cdl" "Property" "is" "init"
   "main" "assert" "properties" "restrictions" "loop" "skip" "pending" "disable" "end"
   "send" "receive" "sync" "synchronous" "becomes" "to" "from" "of" "empty" "full"
   "globally" "before" "after" "until" "between" "eventually" "immediately" "leads"
   "precedes" "never" "occurs" "occur" "exactly" "one" "occurrences" "occurrence" "ALL"
   "AN" "Ordered" "Combined" "may" "must" "cannot" "repeatability" "and" "or" "not"
   "mod" "true" "false"))

(cairn-define-mode cairn-xgdl-mode "xGDL" "xgdl"
  ("let" "guide" "ignore" "skip" "of"))

(cairn-define-mode cairn-xta-mode "XTA" "xta"
  ("process" "system" "state" "branchpoint" "commit" "init" "trans" "typedef" "assert"
   "do" "else" "for" "if" "return" "select" "guard" "sync" "assign" "probability"
   "while" "bool" "chan" "clock" "double" "int" "scalar" "struct" "void" "broadcast"
   "const" "meta" "urgent" "and" "exists" "forall" "imply" "not" "or" "sum" "xor" "true"
   "false" "deadlock"))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((cairn-milestones-mode cairn-fiacre-mode cairn-cdl-mode cairn-xgdl-mode
                  cairn-xta-mode)
                 . ,(lambda (&rest _) (list cairn-program "lsp")))))

(provide 'cairn)
;;; cairn.el ends here
