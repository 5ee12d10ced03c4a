/* A program's own library: variables that point at each other, an initialiser, a callback. */
struct own_pair {
    int* number;
    int** pointer;
};
extern int own_number;   /* 5, doubled by the initialiser */
extern int* own_pointer; /* &own_number */
extern struct own_pair own_pair;
extern int (*own_call)(void);
int own_next(void); /* adds 1 to the number and to a hidden one, which is 8 after the initialiser */
